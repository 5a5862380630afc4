import { addressOf, curlCommand, headersOf } from './curl.js';
import { byId, make, withCode } from './dom.js';
import { boundsText, exampleOf, typeName } from './schema.js';

const MAX_SHOWN = 200_000;

const choiceInput = (id, choices) =>
  make('select', { id }, ...['', ...choices].map((choice) => make('option', { value: choice }, String(choice))));

const inputFor = (id, schema, isRequired) => {
  if (schema?.enum) return choiceInput(id, schema.enum);
  if (schema?.type === 'boolean') return choiceInput(id, ['true', 'false']);
  const hint = schema?.default === undefined ? '' : String(schema.default);
  const mode = schema?.type === 'integer' ? 'numeric' : undefined;
  return make('input', { id, required: isRequired, placeholder: hint, inputmode: mode, spellcheck: 'false' });
};

/** One labelled field per parameter. */
export const parameterFields = (parameters, resolve) =>
  parameters.map((parameter, index) => {
    const id = `parameter-${index}`;
    const schema = resolve(parameter.schema);
    const input = inputFor(id, schema, parameter.required);
    const mark = parameter.required ? make('span', { class: 'required' }, ' required') : '';
    const words = [parameter.description, `${parameter.in} parameter, ${typeName(schema)}`, boundsText(schema)];
    const note = make('p', { class: 'note', id: `${id}-note` }, ...withCode(words.filter(Boolean).join(' · ')));
    input.setAttribute('aria-describedby', note.id);
    const view = make('div', { class: 'field' }, make('label', { for: id }, parameter.name, mark), input, note);
    return { parameter, input, view };
  });

/** The field for a body, filled with an example; undefined where an operation takes none. */
export const bodyField = (operation, resolve) => {
  const content = operation.requestBody?.content;
  if (!content) return undefined;
  const types = Object.keys(content);
  const schema = content[types[0]].schema;
  const isJson = types[0].includes('json');
  const text = make('textarea', { id: 'body', rows: 12, spellcheck: 'false' });
  if (isJson) text.value = JSON.stringify(content[types[0]].example ?? exampleOf(schema, resolve), undefined, 2);
  const type = make('select', { id: 'body-type' }, ...types.map((name) => make('option', { value: name }, name)));
  const view = make(
    'div',
    {},
    make('div', { class: 'field' }, make('label', { for: 'body-type' }, 'media type'), type),
    make('div', { class: 'field' }, make('label', { for: 'body' }, 'body'), text),
  );
  return { view, read: () => ({ type: type.value, text: text.value }), schema };
};

const valuesOf = (fields) => fields.map(({ parameter, input }) => ({ parameter, value: input.value }));

const pretty = (text) => {
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
};

const shownText = (text) =>
  text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}\n… ${text.length - MAX_SHOWN} more characters`;

const answerView = async (response, startedMs) => {
  const text = pretty(await response.text());
  const ms = Math.round(performance.now() - startedMs);
  const line = `${response.status} ${response.statusText} · ${ms} ms`;
  const headers = [...response.headers].map(([name, value]) => `${name}: ${value}`).join('\n');
  return make(
    'div',
    {},
    make('p', { class: response.ok ? 'status' : 'status bad' }, line),
    make('details', {}, make('summary', {}, 'Headers'), make('pre', { tabindex: '0' }, headers)),
    text === '' ? '' : make('pre', { tabindex: '0', 'aria-label': 'Response body' }, shownText(text)),
  );
};

const send = async (operation, fields, body) => {
  const values = valuesOf(fields);
  const headers = new Headers(headersOf(values));
  const token = byId('token').value.trim();
  if (token !== '') headers.set('authorization', `Bearer ${token}`);
  const content = body?.read();
  if (content) headers.set('content-type', content.type);
  const startedMs = performance.now();
  const method = operation.method.toUpperCase();
  const options = content ? { method, headers, body: content.text } : { method, headers };
  return answerView(await fetch(addressOf(operation.path, values), options), startedMs);
};

/** The request as a command, which follows the fields of the form. */
const curlView = (operation, fields, body, form) => {
  const text = make('pre', { tabindex: '0', 'aria-label': 'The request as a curl command' });
  const show = () => {
    const { method, path, security } = operation;
    const values = valuesOf(fields);
    const needsToken = security?.length !== 0;
    text.textContent = curlCommand({ method, path, needsToken, values, body: body?.read(), origin: location.origin });
  };
  form.addEventListener('input', show);
  show();
  const copy = make('button', { type: 'button' }, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(text.textContent);
      copy.textContent = 'Copied';
    } catch {
      // Browsers have no clipboard for pages that come without encryption from another machine.
      getSelection().selectAllChildren(text);
      copy.textContent = 'Selected: press Ctrl+C';
    }
  });
  return make('details', { open: true }, make('summary', {}, 'curl'), text, copy);
};

/** The form that sends the request and shows what comes back. */
export const tryForm = (operation, fields, body) => {
  const button = make('button', { class: 'send', type: 'submit' }, 'Try it');
  const result = make('div', { 'aria-live': 'polite' });
  const form = make('form', { autocomplete: 'off' }, ...fields.map(({ view }) => view), body?.view ?? '');
  form.append(make('div', { class: 'actions' }, button), result, curlView(operation, fields, body, form));
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    button.disabled = true;
    try {
      result.replaceChildren(await send(operation, fields, body));
    } catch (failure) {
      result.replaceChildren(make('p', { class: 'bad' }, `No answer: ${failure.message}`));
    } finally {
      button.disabled = false;
    }
  });
  return form;
};
