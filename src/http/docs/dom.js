/** The element with this id, which the page's own HTML holds. */
export const byId = (id) => document.getElementById(id);

/** Parts of a text, with what stands between backticks as code. */
export const withCode = (text) =>
  text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? make('code', {}, part) : part));

/** Builds an element. Text becomes text nodes, so nothing the API says can turn into markup. */
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== ''));
  return element;
};
