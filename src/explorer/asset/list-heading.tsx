/** The title of a list with its length. A list without anything is said in the same line, and needs no other. */
export const ListHeading = ({ title, total }: { readonly title: string; readonly total: number | undefined }) => (
  <h2>
    {title} {total !== undefined && <span className="quiet">{total === 0 ? 'none' : total.toLocaleString()}</span>}
  </h2>
);
