import { byId, make } from './dom.js';
import { createResolver, lazyDetails, schemaView } from './schema.js';
import { bodyField, parameterFields, tryForm } from './try.js';

const METHODS = ['get', 'post', 'put', 'patch', 'delete'];
const TOKEN_KEY = 'tributary.token';

const fetchDescription = async () => {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
};

const operationsOf = (api) =>
  Object.entries(api.paths).flatMap(([path, item]) =>
    METHODS.filter((method) => method in item).map((method) => {
      const operation = item[method];
      const words = `${method} ${path} ${operation.summary} ${operation.operationId} ${operation.tags.join(' ')}`;
      return { ...operation, method, path, words: words.toLowerCase() };
    }),
  );

const responseViews = (operation, resolve) =>
  Object.entries(operation.responses).map(([status, reference]) => {
    const response = resolve(reference);
    const schema = Object.values(response.content ?? {})[0]?.schema;
    const line = [make('strong', {}, status), ` ${response.description}`];
    return schema ? lazyDetails(line, () => schemaView(schema, resolve)) : make('p', {}, ...line);
  });

const operationPage = (operation, resolve) => {
  const fields = parameterFields((operation.parameters ?? []).map(resolve), resolve);
  const body = bodyField(operation, resolve);
  const method = make('span', { class: `method method-${operation.method}` }, operation.method.toUpperCase());
  const isPublic = operation.security?.length === 0;
  return [
    make('h1', {}, operation.summary),
    make('p', { class: 'endpoint' }, method, make('code', {}, operation.path)),
    make('p', { class: 'note' }, isPublic ? 'Needs no token.' : 'Needs a token.', ` ${operation.description ?? ''}`),
    make('h2', {}, 'Request'),
    tryForm(operation, fields, body),
    body ? make('h2', {}, 'Body') : '',
    body ? schemaView(body.schema, resolve) : '',
    make('h2', {}, 'Responses'),
    ...responseViews(operation, resolve),
  ];
};

const startPage = (api, operations) => [
  make('h1', {}, `${api.info.title} API`),
  make('p', {}, api.info.description),
  make('p', {}, `${operations.length} operations. Choose one on the left, or press / and search.`),
  make('p', {}, 'A token comes from ', make('code', {}, 'npx tributary token issue --user <name>'), '.'),
];

const operationLink = (operation) =>
  make(
    'a',
    { href: `#${operation.operationId}` },
    make('span', { class: `method method-${operation.method}` }, operation.method.toUpperCase()),
    make('span', {}, operation.summary),
    make('span', { class: 'path' }, operation.path),
  );

const showGroups = (operations, words, current) => {
  const found = operations.filter((operation) => words.every((word) => operation.words.includes(word)));
  const groups = new Map();
  for (const operation of found) groups.set(operation.tags[0], [...(groups.get(operation.tags[0]) ?? []), operation]);
  const views = [...groups].map(([tag, members]) => {
    const links = members.map((operation) => {
      const link = operationLink(operation);
      if (operation.operationId === current) link.setAttribute('aria-current', 'page');
      return make('li', {}, link);
    });
    const isOpen = words.length > 0 || groups.size === 1 || members.some(({ operationId }) => operationId === current);
    const summary = make('summary', {}, `${tag} `, make('span', { class: 'count' }, String(members.length)));
    return make('details', { open: isOpen }, summary, make('ul', {}, ...links));
  });
  byId('groups').replaceChildren(...views);
  byId('count').textContent = `${found.length} of ${operations.length} operations`;
};

const keepToken = () => {
  const field = byId('token');
  field.value = sessionStorage.getItem(TOKEN_KEY) ?? '';
  field.addEventListener('input', () => sessionStorage.setItem(TOKEN_KEY, field.value.trim()));
  byId('token-form').addEventListener('submit', (event) => event.preventDefault());
  byId('token-clear').addEventListener('click', () => {
    field.value = '';
    sessionStorage.removeItem(TOKEN_KEY);
    field.focus();
  });
};

const focusSearchOnSlash = (search) =>
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target instanceof Element && event.target.matches('input, textarea, select');
    if (event.key !== '/' || isTyping) return;
    event.preventDefault();
    search.focus();
  });

const start = async () => {
  keepToken();
  const api = await fetchDescription();
  const operations = operationsOf(api);
  const resolve = createResolver(api);
  const search = byId('search');
  const currentId = () => decodeURIComponent(location.hash.slice(1));
  const showList = () => showGroups(operations, search.value.toLowerCase().split(/\s+/).filter(Boolean), currentId());
  const showPage = () => {
    const operation = operations.find(({ operationId }) => operationId === currentId());
    const page = operation ? operationPage(operation, resolve) : startPage(api, operations);
    byId('main').replaceChildren(...page.filter((part) => part !== ''));
    document.title = operation ? `${operation.summary} – Tributary API` : 'Tributary API';
  };
  byId('version').textContent = api.info.version;
  search.addEventListener('input', showList);
  focusSearchOnSlash(search);
  window.addEventListener('hashchange', () => {
    if (currentId() === 'main') return;
    showList();
    showPage();
    byId('main').focus({ preventScroll: true });
    window.scrollTo(0, 0);
  });
  showList();
  showPage();
};

start().catch((failure) => {
  const words = `The description of the API could not be read: ${failure.message}`;
  byId('main').replaceChildren(make('p', { class: 'bad', role: 'alert' }, words));
});
