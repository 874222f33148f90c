"""`tf.signal`: Fourier and cosine transforms, frames of signals, windows."""

from autograph.tf.names import serve as _serve
from autograph.tf.signal.bands import (
    inverse_mdct, linear_to_mel_weight_matrix, mdct, mfccs_from_log_mel_spectrograms,
)  # fmt: skip
from autograph.tf.signal.frames import (
    frame, inverse_stft, inverse_stft_window_fn, overlap_and_add, stft,
)  # fmt: skip
from autograph.tf.signal.transforms import (
    dct, fft, fft2d, fft3d, fftshift, idct, ifft, ifft2d, ifft3d, ifftshift, irfft, irfft2d,
    irfft3d, rfft, rfft2d, rfft3d,
)  # fmt: skip
from autograph.tf.signal.windows import (
    hamming_window, hann_window, kaiser_window, vorbis_window,
)  # fmt: skip

__all__ = [
    "dct", "fft", "fft2d", "fft3d", "fftshift", "frame", "hamming_window", "hann_window", "idct",
    "ifft", "ifft2d", "ifft3d", "ifftshift", "inverse_mdct", "inverse_stft",
    "inverse_stft_window_fn", "irfft", "irfft2d", "irfft3d", "kaiser_window",
    "linear_to_mel_weight_matrix", "mdct", "mfccs_from_log_mel_spectrograms", "overlap_and_add",
    "rfft", "rfft2d", "rfft3d", "stft", "vorbis_window",
]  # fmt: skip

_serve(globals())
