/** Finds operations by words. */

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];

/** What an operation can be found by: first what it is called, then everything else that is said of it. */
const textsOf = (operation, method, path) => {
  const names = [method, path, operation.summary, operation.operationId, ...operation.tags];
  const parameters = operation.parameters.flatMap(({ name, description = '' }) => [name, description]);
  const lower = (words) => words.join(' ').toLowerCase();
  return { names: lower(names), all: lower([...names, operation.description ?? '', ...parameters]) };
};

/** All operations of the document, with their parameters resolved. */
export const operationsOf = (api, resolve) =>
  Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const operation = { ...item[method], parameters: (item[method].parameters ?? []).map(resolve) };
      return { ...operation, method, path, texts: textsOf(operation, method, path) };
    }),
  );

/** The operations that all words are found in; those that are called so come first. */
export const findOperations = (operations, words) => {
  const found = operations.filter(({ texts }) => words.every((word) => texts.all.includes(word)));
  const isNamed = ({ texts }) => words.every((word) => texts.names.includes(word));
  return [...found.filter(isNamed), ...found.filter((operation) => !isNamed(operation))];
};

/** The tags of what was found, those of the best first. */
export const tagsOf = (operations) => [...new Set(operations.map(({ tags: [tag] }) => tag))].map((name) => ({ name }));

/** The operations by tag, in the order of the tags. */
export const groupByTag = (operations, tags) => {
  const groups = new Map(tags.map(({ name }) => [name, []]));
  for (const operation of operations) groups.get(operation.tags[0])?.push(operation);
  return [...groups].filter(([, members]) => members.length > 0);
};
