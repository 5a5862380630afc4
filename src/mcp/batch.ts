import type { Answer, Call } from '../http/route.ts';
import { isObject, type Json, type JsonObject, memberAt } from '../model/json.ts';
import { pickHeaders, type SendToSelf } from './catalog-api.ts';
import { WRITE_HEADER } from './write-header.ts';

/**
 * Answers the messages of a batch, which older versions of the protocol allow. Each is a request of its own to the
 * service itself, so it takes its part of the caller's share and is refused alone.
 */

const PASSED_HEADERS = ['authorization', 'x-impersonate-user', 'accept', 'mcp-protocol-version', WRITE_HEADER];

/** The codes of JSON-RPC for what is no message, and for what the service did not take. */
const INVALID_REQUEST = -32600;
const REFUSED = -32000;

/** Whether a message says by itself which version it is of, as those from 2026-07-28 on do. */
const isModern = (message: JsonObject): boolean =>
  memberAt(message, 'params', '_meta', 'io.modelcontextprotocol/protocolVersion') !== undefined;

const idOf = (message: Json): Json | undefined => (isObject(message) ? message['id'] : undefined);

const refusal = (id: Json, code: number, message: string): JsonObject => ({
  jsonrpc: '2.0',
  id,
  error: { code, message },
});

/** Turns the error body of the API into an answer to the message. A notification has none. */
const toMessage = (content: JsonObject, id: Json | undefined): JsonObject | undefined => {
  if (content['jsonrpc'] !== undefined) return content;
  return id === undefined ? undefined : refusal(id, REFUSED, String(content['message']));
};

const answerMessage = async (send: SendToSelf, call: Call, message: Json): Promise<JsonObject | undefined> => {
  if (!isObject(message)) return refusal(null, INVALID_REQUEST, 'A message of a batch must be an object');
  if (isModern(message)) {
    return refusal(idOf(message) ?? null, INVALID_REQUEST, 'The version of this message has no batches: send it alone');
  }
  const headers = { ...pickHeaders(call, PASSED_HEADERS), 'content-type': 'application/json' };
  const init = { method: 'POST', headers, signal: call.signal, body: JSON.stringify(message) };
  const content = await (await send('/mcp', init, call)).text();
  return content === '' ? undefined : toMessage(JSON.parse(content) as JsonObject, idOf(message));
};

export const answerBatch = async (send: SendToSelf, call: Call, messages: readonly Json[]): Promise<Answer> => {
  const answers = await Promise.all(messages.map((message) => answerMessage(send, call, message)));
  const content = answers.filter((answer) => answer !== undefined);
  if (content.length === 0) return { status: 202 };
  return { status: 200, text: { mediaType: 'application/json', content: JSON.stringify(content) } };
};
