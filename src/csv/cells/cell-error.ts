/** What is wrong with one cell, in the words in which it is told behind the number of its field. */
export class CellError extends Error {
  override readonly name = 'CellFault';
}
