/**
 * Draws one row of a list. A row that throws costs only itself: the error is reported like any other, and the row that
 * `fallback` makes replaces it.
 *
 * @template T
 * @param {() => T} draw
 * @param {() => T} fallback
 * @returns {T}
 */
export function drawn(draw, fallback) {
  try {
    return draw();
  } catch (error) {
    reportError(error);
    return fallback();
  }
}
