/** A filter takes effect, and a field is judged, when the user pauses for so long. */
export const PAUSE_MS = 400;
