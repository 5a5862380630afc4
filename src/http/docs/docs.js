import { byId, make, withCode } from './dom.js';
import { createResolver, lazyDetails, schemaView } from './schema.js';
import { findOperations, groupByTag, operationsOf, tagsOf } from './search.js';
import { bodyField, parameterFields, tryForm } from './try.js';

/** Names in the address that are places of the page and no operations. */
const PLACES = ['main', 'operations'];
const TOKEN_KEY = 'tributary.token';

const fetchDescription = async () => {
  const response = await fetch('/openapi.json');
  if (!response.ok) throw new Error(`the server answered ${response.status}`);
  return response.json();
};

const headerList = (headers, resolve) => {
  const items = Object.entries(headers ?? {}).map(([name, header]) =>
    make(
      'li',
      {},
      make('span', { class: 'name' }, name),
      make('p', { class: 'note' }, ...withCode(resolve(header)?.description ?? '')),
    ),
  );
  return items.length === 0 ? '' : make('ul', { class: 'members' }, ...items);
};

const responseViews = (operation, resolve) =>
  Object.entries(operation.responses).map(([status, reference]) => {
    const response = resolve(reference);
    const types = Object.keys(response.content ?? {});
    const schema = response.content?.[types[0]]?.schema;
    const line = [make('strong', {}, status), ' ', ...withCode(response.description)];
    if (!schema && !response.headers) return make('p', { class: 'answer' }, ...line);
    return lazyDetails(line, () =>
      make(
        'div',
        {},
        types.length === 0 ? '' : make('p', { class: 'note' }, types.join(', ')),
        schema ? schemaView(schema, resolve) : '',
        headerList(response.headers, resolve),
      ),
    );
  });

const operationPage = (operation, resolve) => {
  const fields = parameterFields(operation.parameters, resolve);
  const body = bodyField(operation, resolve);
  const method = make('span', { class: `method method-${operation.method}` }, operation.method.toUpperCase());
  return [
    make('h1', {}, operation.summary),
    make('p', { class: 'endpoint' }, method, make('code', {}, operation.path)),
    make('p', { class: 'what' }, ...withCode(operation.description ?? '')),
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
  make('p', {}, `${operations.length} operations. Choose one from the list, or press / and search.`),
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

const showGroups = (api, operations, words, current) => {
  const found = findOperations(operations, words);
  const groups = groupByTag(found, words.length > 0 ? tagsOf(found) : api.tags);
  const views = groups.map(([tag, members], at) => {
    const links = members.map((operation) => {
      const link = operationLink(operation);
      if (operation.operationId === current) link.setAttribute('aria-current', 'page');
      return make('li', {}, link);
    });
    const isCurrent = members.some(({ operationId }) => operationId === current);
    const isOpen = words.length > 0 || groups.length === 1 || isCurrent || (current === '' && at === 0);
    const summary = make('summary', {}, `${tag} `, make('span', { class: 'count' }, String(members.length)));
    return make('details', { open: isOpen }, summary, make('ul', {}, ...links));
  });
  const nothing = make('p', { class: 'note' }, 'No operation has all of these words. Fewer words find more.');
  byId('groups').replaceChildren(...(views.length === 0 ? [nothing] : views));
  byId('count').textContent = `${found.length} of ${operations.length} operations`;
};

/** Shows the current operation in the list, which may be far down. */
const showCurrent = () => {
  const [list, link] = [byId('operations'), document.querySelector('nav [aria-current]')];
  if (!link) return;
  const [frame, row] = [list.getBoundingClientRect(), link.getBoundingClientRect()];
  if (row.top < frame.top || row.bottom > frame.bottom) list.scrollTop += row.top - frame.top - frame.height / 3;
};

/** Brings the operation to the top: on a phone, the list of operations is above it. */
const showTop = () => {
  const main = byId('main');
  main.focus({ preventScroll: true });
  if (window.matchMedia('(max-width: 52rem)').matches) main.scrollIntoView({ block: 'start' });
  else window.scrollTo(0, 0);
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

/** Opens the first operation that was found, as a reader who has typed its name expects. */
const openFirstOnEnter = (search) =>
  search.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && search.value.trim() !== '') byId('groups').querySelector('a')?.click();
  });

const start = async () => {
  keepToken();
  const api = await fetchDescription();
  const resolve = createResolver(api);
  const operations = operationsOf(api, resolve);
  const search = byId('search');
  const currentId = () => decodeURIComponent(location.hash.slice(1));
  const showList = () =>
    showGroups(api, operations, search.value.toLowerCase().split(/\s+/).filter(Boolean), currentId());
  const showPage = () => {
    const operation = operations.find(({ operationId }) => operationId === currentId());
    const page = operation ? operationPage(operation, resolve) : startPage(api, operations);
    const back = operation ? [make('a', { class: 'back', href: '#operations' }, 'All operations')] : [];
    byId('main').replaceChildren(...back, ...page.filter((part) => part !== ''));
    document.title = operation ? `${operation.summary} – Tributary API` : 'Tributary API';
  };
  byId('version').textContent = api.info.version;
  search.addEventListener('input', showList);
  focusSearchOnSlash(search);
  openFirstOnEnter(search);
  window.addEventListener('hashchange', () => {
    if (PLACES.includes(currentId())) return;
    showList();
    showPage();
    showCurrent();
    showTop();
  });
  showList();
  showPage();
  showCurrent();
  if (currentId() !== '' && !PLACES.includes(currentId())) showTop();
};

start().catch((failure) => {
  const words = `The description of the API could not be read: ${failure.message}`;
  byId('main').replaceChildren(make('p', { class: 'bad', role: 'alert' }, words));
});
