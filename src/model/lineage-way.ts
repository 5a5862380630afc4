/** What stands between the columns of a way where a text tells it, as the reasons of labels by lineage do. */
export const WAY_MARK = ' → ';
