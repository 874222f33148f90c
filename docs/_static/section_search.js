// Full text is looked up in the sections of docs/_ext/sections.py, ranked by BM25
// (Robertson and Zaragoza, The Probabilistic Relevance Framework: BM25 and Beyond, 2009).
"use strict";

{
  const SATURATION = 1.2; // a word that stands twice as often counts less than twice
  const LENGTH = 0.6; // how much a long section has to have more of it
  const SHOWN = 30;
  Scorer.objPartialMatch = 1; // `ag.isnan` is not what is looked for by "nan"
  const { sections, terms } = SectionIndex;
  const ignored = new Set(SectionIndex.ignored);
  const mean = sections.reduce((sum, section) => sum + section[3], 0) / sections.length;

  const meantBy = (query) => {
    const stemmer = new Stemmer();
    const words = splitQuery(query.toLowerCase()).filter((word) => !ignored.has(word));
    return new Set(words.map((word) => stemmer.stemWord(word)));
  };

  const parse = Search._parseQuery;
  Search._parseQuery = (query) => {
    const parsed = parse(query);
    parsed[1] = meantBy(query);
    return parsed;
  };

  // Of a word that no section has, those that begin with it.
  const places = (word) => {
    if (Object.hasOwn(terms, word)) return terms[word];
    if (word.length < 3) return [];
    return Object.keys(terms).filter((term) => term.startsWith(word)).flatMap((term) => terms[term]);
  };

  Search.performTermsSearch = (searched, excluded) => {
    const scores = new Map();
    for (const word of searched) {
      const found = places(word);
      const rarity = Math.log(1 + sections.length / (found.length / 2 + 0.5));
      for (let i = 0; i < found.length; i += 2) {
        const [number, count] = [found[i], found[i + 1]];
        const length = 1 - LENGTH + (LENGTH * sections[number][3]) / mean;
        const gain = (rarity * count * (SATURATION + 1)) / (count + SATURATION * length);
        scores.set(number, (scores.get(number) ?? 0) + gain);
      }
    }
    for (const word of excluded) {
      const found = places(word);
      for (let i = 0; i < found.length; i += 2) scores.delete(found[i]);
    }
    const { docnames, filenames } = Search._index;
    const ranked = [...scores].map(([number, score]) => [number, score * sections[number][4]]);
    ranked.sort((a, b) => b[1] - a[1]);
    return ranked.slice(0, SHOWN).map(([number, score]) => {
      const [page, anchor, title] = sections[number];
      const filename = filenames[docnames.indexOf(page)];
      return [page, title, anchor && `#${anchor}`, null, score, filename, SearchResultKind.text];
    });
  };
}
