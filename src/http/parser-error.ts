import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { CatalogError, type ErrorBody } from '../errors.ts';
import { answerInProgress } from './connections.ts';
import { COMMON_HEADERS } from './respond.ts';

/** Answers requests that never reach the router: those that the HTTP parser refuses, and refused connections. */

const REQUEST_TIMEOUT_BODY = new CatalogError('request_timeout', 'The request took too long to arrive').body;

const parserErrorBody = (code: unknown): ErrorBody => {
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return REQUEST_TIMEOUT_BODY;
  if (code === 'HPE_HEADER_OVERFLOW') return new CatalogError('headers_too_large', 'URL or headers are too long').body;
  if (code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW') {
    return new CatalogError('payload_too_large', 'Chunk extensions are too long').body;
  }
  return new CatalogError('bad_request', 'Malformed HTTP request').body;
};

const formatRawAnswer = (body: ErrorBody, headers = ''): string => {
  const content = JSON.stringify(body);
  const length = Buffer.byteLength(content);
  const common = Object.entries(COMMON_HEADERS).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${body.code} ${STATUS_CODES[body.code]}\r\nContent-Type: application/json\r\n${common.join('')}${headers}`;
  return `${head}Content-Length: ${length}\r\nConnection: close\r\n\r\n${content}`;
};

/** Whether the head of a response was already sent. Anything else written then would corrupt it. */
const hasBegunAnswer = (socket: Duplex): boolean => {
  const answer = answerInProgress(socket);
  return answer !== undefined && Reflect.get(answer, 'headersSent') === true;
};

/** Answers a request that the HTTP parser refused. */
export const onClientError = (failure: Error, socket: Duplex): void => {
  const code: unknown = Reflect.get(failure, 'code');
  if (code === 'ECONNRESET' || !socket.writable || hasBegunAnswer(socket)) {
    socket.destroy();
    return;
  }
  socket.end(formatRawAnswer(parserErrorBody(code)), () => socket.destroy());
};

const refuseRequest = (response: ServerResponse, failure: CatalogError): void => {
  const content = JSON.stringify(failure.body);
  response.shouldKeepAlive = false;
  response.writeHead(failure.status, {
    'content-type': 'application/json',
    ...COMMON_HEADERS,
    'content-length': Buffer.byteLength(content),
  });
  response.end(content);
};

/** Answers an `Expect` header other than `100-continue`. */
export const onUnknownExpectation = (_request: IncomingMessage, response: ServerResponse): void =>
  refuseRequest(response, new CatalogError('expectation_failed', 'The only expectation supported is 100-continue'));

/** Answers CONNECT, which Node passes on as a bare socket. */
export const onConnect = (_request: IncomingMessage, socket: Duplex): void => {
  const { body } = new CatalogError('method_not_allowed', 'This server is not a proxy');
  socket.end(formatRawAnswer(body, 'Allow: GET\r\n'), () => socket.destroy());
};

/** The error for an invalid request line or `Host` header that the parser accepted. */
export const malformedRequestError = (): CatalogError =>
  new CatalogError('bad_request', 'Malformed request target or host');

/** Answers an HTTP/1.1 request without a host. */
export const refuseMissingHost = (response: ServerResponse): void => refuseRequest(response, malformedRequestError());

/** Answers a connection from an address that has too many open. */
export const refuseConnection = (socket: Socket): void => {
  const { body } = new CatalogError('unavailable', 'Too many connections from this address');
  socket.on('error', () => socket.destroy());
  socket.end(formatRawAnswer(body, 'Retry-After: 1\r\n'), () => socket.destroy());
};
