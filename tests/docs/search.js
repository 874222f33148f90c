// Prints what the search box of built pages finds: node search.js FOLDER QUERY..., a line of JSON each.
const fs = require("fs");
const path = require("path");
const vm = require("vm");

const [folder, ...queries] = process.argv.slice(2);
const nothing = () => null;
const page = {
  document: { getElementById: nothing, querySelectorAll: () => [], documentElement: {} },
  localStorage: { setItem: nothing },
  SPHINX_HIGHLIGHT_ENABLED: false,
  _: (text) => text,
  _ready: nothing, // the page itself would begin to search here
};
page.window = page;
vm.createContext(page);
for (const name of [
  "_static/language_data.js",
  "_static/searchtools.js",
  "searchindex.js",
  "_static/section_index.js",
  "_static/section_search.js",
])
  vm.runInContext(fs.readFileSync(path.join(folder, name), "utf8"), page, { filename: name });
for (const query of queries) {
  page.query = query;
  const found = vm.runInContext("Search._performSearch(...Search._parseQuery(query))", page);
  console.log(JSON.stringify(found.reverse().map((result) => result[0] + result[2])));
}
