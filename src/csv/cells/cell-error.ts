/** A fault of one cell. The report shows the message after the number of the field. */
export class CellError extends Error {
  override readonly name = 'CellFault';
}
