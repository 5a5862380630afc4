/** The element with this id, which the page's own HTML holds. */
export const byId = (id) => document.getElementById(id);

/** Builds an element. Text becomes text nodes, so nothing the API says can turn into markup. */
export const make = (tag, attributes = {}, ...children) => {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.filter((child) => child !== undefined && child !== ''));
  return element;
};
