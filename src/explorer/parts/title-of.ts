const PRODUCT = 'Tributary';
const LONGEST = 120;

/** What the tab of the browser, its history and its bookmarks call a page. */
export const titleOf = (heading: string): string => {
  const text = heading.replace(/\s+/g, ' ').trim();
  if (text === '') return PRODUCT;
  return `${text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text} · ${PRODUCT}`;
};
