/** The state of the history when the search page was reached by typing: the focus goes on to its search box. */
export const TYPED_SEARCH = 'typed search';
