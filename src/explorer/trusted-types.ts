/**
 * The security policy of the page lets no text become markup or a script, wherever it comes from. Libraries need three
 * exceptions, which are all that this allows: to empty an element, to read the character that an entity of Markdown stands
 * for, and to start workers from the files of the explorer.
 */

type Rules = {
  readonly createHTML: (text: string) => string | null;
  readonly createScriptURL: (address: string) => string | null;
};

/** Not every browser has them; those that do not know the part of the policy ignore it. */
type WithTrustedTypes = { readonly trustedTypes?: { createPolicy(name: 'default', rules: Rules): unknown } };

/** Where the service serves the files of the explorer. */
const FILES = '/explorer/assets/';

const HARMLESS = /^(?:&#?[a-z0-9]{1,40};)?$/i;

export const allowMarkup = (text: string): string | null => (HARMLESS.test(text) ? text : null);

export const allowScript = (address: string, page: string): string | null => {
  const { origin, pathname } = new URL(address, page);
  return origin === new URL(page).origin && pathname.startsWith(FILES) ? address : null;
};

/** What is not allowed throws where it is tried, and the console tells it. */
export const allowOnlyNeeded = (page: string): void => {
  (globalThis as WithTrustedTypes).trustedTypes?.createPolicy('default', {
    createHTML: allowMarkup,
    createScriptURL: (address) => allowScript(address, page),
  });
};
