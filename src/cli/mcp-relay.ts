import { StartupError } from '../errors.ts';
import { WRITE_HEADER } from '../mcp/write-header.ts';
import { isObject, type Json, type JsonObject, memberAt } from '../model/json.ts';
import type { CommandInput } from './command.ts';
import { type Output, stripControls } from './output.ts';
import { readLines } from './read-events.ts';
import { createServiceRequest, type ServiceConnection, ServiceRefusal } from './service-client.ts';
import { connectService } from './service-commands.ts';

/**
 * Lets assistants that start a program reach the Model Context Protocol of a running service: messages from the
 * standard input go to the service, its answers to the standard output, which carries nothing else. Messages of every
 * version pass as they are; only the headers of their requests are made here.
 */

/** The code of JSON-RPC for a request that nobody could answer. */
const INTERNAL_ERROR = -32603;

/** Where a message says which version it is of, from 2026-07-28 on. */
const VERSION = 'io.modelcontextprotocol/protocolVersion';

/** What a header holds as it is. A text that looks encoded is no such. */
const PLAIN = /^(?!=\?base64\?.*\?=$)[\x21-\x7e](?:[\x20-\x7e]*[\x21-\x7e])?$/;

const encodeHeader = (text: string): string =>
  PLAIN.test(text) ? text : `=?base64?${Buffer.from(text).toString('base64')}?=`;

/** The member of a request that its header `Mcp-Name` repeats. */
const NAMED_BY = new Map<unknown, string>([
  ['tools/call', 'name'],
  ['prompts/get', 'name'],
  ['resources/read', 'uri'],
]);

/** What the protocol repeats of a message in headers; before 2026-07-28 only the version that was agreed on. */
const headersOf = ({ method, params }: JsonObject, agreed: string | undefined): Readonly<Record<string, string>> => {
  const version = memberAt(params, '_meta', VERSION);
  if (typeof version !== 'string') return agreed === undefined ? {} : { 'mcp-protocol-version': agreed };
  const name = memberAt(params, NAMED_BY.get(method) ?? '');
  return {
    'mcp-protocol-version': encodeHeader(version),
    'mcp-method': encodeHeader(String(method)),
    ...(typeof name === 'string' ? { 'mcp-name': encodeHeader(name) } : {}),
  };
};

/** Reads a message. Undefined for anything else. */
const parseMessage = (text: string): JsonObject | undefined => {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && value['jsonrpc'] === '2.0' ? value : undefined;
  } catch {
    return undefined;
  }
};

const EVENT_STREAM = 'text/event-stream';

/** Reads the messages of an answer: one as JSON, or several as events. Undefined when it is no such answer. */
const readAnswers = async (response: Response): Promise<readonly JsonObject[] | undefined> => {
  const text = await response.text();
  const isStream = response.headers.get('content-type')?.startsWith(EVENT_STREAM) === true;
  const texts = isStream ? [...text.matchAll(/^data: (.+)$/gm)].map(([, data = '']) => data) : [text];
  const messages = texts.filter((one) => one !== '').map(parseMessage);
  const isWhole = messages.every((one) => one !== undefined) && (response.ok || messages.length > 0);
  return isWhole ? messages : undefined;
};

type AskService = (message: JsonObject, signal: AbortSignal) => Promise<readonly JsonObject[]>;

/** Opens the service for messages. An error of the protocol is an answer, whatever its status. */
const openService = ({ server, token, send }: ServiceConnection, mayWrite: boolean): AskService => {
  const fixed = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: `application/json, ${EVENT_STREAM}`,
    ...(mayWrite ? { [WRITE_HEADER]: 'on' } : {}),
  };
  let agreed: string | undefined;
  return async (message, signal) => {
    const init = {
      method: 'POST',
      headers: { ...fixed, ...headersOf(message, agreed) },
      body: JSON.stringify(message),
      signal,
    };
    const response = await send(`${server}/mcp`, init);
    const { status } = response;
    if (status === 401) throw new ServiceRefusal(`${server} refuses the token`, status);
    const answers = await readAnswers(response);
    if (answers === undefined) throw new ServiceRefusal(`${server} answered ${status} to a message`, status);
    for (const { result } of answers) {
      const version = memberAt(result, 'protocolVersion');
      if (typeof version === 'string') agreed ??= version;
    }
    return answers;
  };
};

/** The id of the request that a message withdraws. */
const withdrawnBy = ({ method, params }: JsonObject): Json | undefined =>
  method === 'notifications/cancelled' ? memberAt(params, 'requestId') : undefined;

/** Answers the messages of the standard input. Resolves when all that was read is answered or withdrawn. */
const relay = async (ask: AskService, server: string, output: Output): Promise<void> => {
  const write = (message: JsonObject): void => output.line(JSON.stringify(message));
  const pending = new Map<Promise<void>, { readonly id: Json | undefined; readonly controller: AbortController }>();
  const answer = async (message: JsonObject, { signal }: AbortController): Promise<void> => {
    try {
      (await ask(message, signal)).forEach(write);
    } catch (failure) {
      // A client waits for no answer to a request that it has withdrawn.
      if (signal.aborted) return;
      const reason = failure instanceof ServiceRefusal ? failure.message : `No service answers at ${server}`;
      const text = stripControls(reason);
      output.note(text);
      const { method, id } = message;
      if (method !== undefined && id !== undefined) {
        write({ jsonrpc: '2.0', id, error: { code: INTERNAL_ERROR, message: text } });
      }
    }
  };
  for await (const line of readLines('-')) {
    const message = parseMessage(line);
    const withdrawn = message && withdrawnBy(message);
    if (message === undefined) {
      if (line.trim() !== '') output.note('A message was not understood');
    } else if (withdrawn !== undefined) {
      for (const { id, controller } of pending.values()) if (id === withdrawn) controller.abort();
    } else {
      const controller = new AbortController();
      const answered = answer(message, controller).finally(() => pending.delete(answered));
      pending.set(answered, { id: message['id'], controller });
    }
  }
  await Promise.all(pending.keys());
};

/** Tells at once, in words, that nobody answers or that the token is refused. */
const checkService = async (remote: ServiceConnection): Promise<void> => {
  await createServiceRequest(remote)('mcp', 'GET', 'users/loggedInUser');
};

export const runMcp = async (input: CommandInput): Promise<number> => {
  const remote = await connectService(input);
  await checkService(remote);
  if (!URL.canParse(remote.server)) throw new StartupError(`${remote.server} is no address of a service`);
  await relay(openService(remote, input.has('write')), remote.server, input.output);
  return 0;
};
