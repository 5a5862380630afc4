import type { MessagePort } from 'node:worker_threads';
import type { App } from '../app.ts';
import { createBodyOfPieces, emptyBody } from '../http/request-body.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import type { TraceSegment, Tracing } from '../tracing/tracing.ts';
import { type HandedCall, type MessageFromLane, type MessageToLane, packFailure } from './messages.ts';
import { registerRemoteWorker } from './remote-job-worker.ts';

/** The worker side of the heavy lane: answers the requests that the main thread hands over. */

type RunningRequest = {
  readonly abort: AbortController;
  /** The trace of the main thread, which the request continues here. */
  readonly trace: TraceSegment | undefined;
  pieces?: AsyncIterator<string | Uint8Array>;
};

/** The lane sends small pieces of a stream together, because one message per piece would cost more than its text. */
const MIN_PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

type EncodedAnswer = {
  readonly encoded?: Answer['encoded'];
  /** The bytes that nobody needs here any more. */
  readonly transfer: ArrayBuffer[];
};

const handOver = (mediaType: string, text: string): EncodedAnswer => {
  const content = encoder.encode(text);
  return { encoded: { mediaType, content }, transfer: [content.buffer] };
};

/** Encodes an answer. One that is encoded already may be kept for further callers, so that it is copied. */
const encodeAnswer = ({ json, text, encoded }: Answer): EncodedAnswer => {
  if (encoded) return { encoded, transfer: [] };
  if (json !== undefined) return handOver('application/json', JSON.stringify(json));
  return text ? handOver(text.mediaType, text.content) : { transfer: [] };
};

const createLaneCall = (handed: HandedCall, route: Route, signal: AbortSignal): Call => ({
  requestId: handed.requestId,
  method: route.method,
  params: handed.params,
  query: new URLSearchParams(handed.query),
  header: (name) => handed.headers[name.toLowerCase()],
  body: handed.body.length > 0 ? createBodyOfPieces(handed.body, route.body?.mediaTypes) : emptyBody,
  principal: handed.principal,
  address: handed.address,
  hrefBase: handed.hrefBase,
  signal,
  countWork: () => {},
});

/** The application that serves the lane, and the requests in progress. */
type ServedLane = {
  readonly port: MessagePort;
  readonly app: App;
  readonly routes: ReadonlyMap<string, Route>;
  readonly running: Map<number, RunningRequest>;
  readonly tracing: Tracing | undefined;
};

const sendFromLane = ({ port }: ServedLane, message: MessageFromLane, transfer: ArrayBuffer[] = []): void =>
  port.postMessage(message, transfer);

const sendPieceMessage = (lane: ServedLane, id: number, content: Uint8Array): void =>
  sendFromLane(lane, { type: 'piece', id, content }, [content.buffer as ArrayBuffer]);

/** Runs work of a request in its trace. */
const runTraced = <T>({ trace }: RunningRequest, work: () => T): T => (trace ? trace.run(work) : work());

const forgetRequest = ({ running }: ServedLane, id: number): void => {
  running.get(id)?.trace?.end();
  running.delete(id);
};

const failRequest = (lane: ServedLane, id: number, failure: unknown): void => {
  forgetRequest(lane, id);
  sendFromLane(lane, { type: 'failure', id, failure: packFailure(failure) });
};

const answerCall = async (lane: ServedLane, handed: HandedCall): Promise<void> => {
  const { id, principal } = handed;
  const route = lane.routes.get(`${handed.method} ${handed.path}`);
  const one: RunningRequest = {
    abort: new AbortController(),
    trace: handed.trace && lane.tracing?.resume(handed.trace),
  };
  lane.running.set(id, one);
  try {
    if (!route) throw new Error(`the heavy lane has no ${handed.method} ${handed.path}`);
    if (!principal.isAdmin) await lane.app.engine.authorizer.ensureFresh();
    const done = await runTraced(one, () => route.handle(createLaneCall(handed, route, one.abort.signal)));
    const head = { id, status: done.status, headers: { ...done.headers } };
    if (done.stream) {
      one.pieces = done.stream[Symbol.asyncIterator]();
      return sendFromLane(lane, { type: 'stream', ...head });
    }
    forgetRequest(lane, id);
    const { transfer, ...answer } = encodeAnswer(done);
    sendFromLane(lane, { type: 'answer', ...head, ...answer }, transfer);
  } catch (failure) {
    failRequest(lane, id, failure);
  }
};

const sendNextPiece = async (lane: ServedLane, id: number): Promise<void> => {
  const one = lane.running.get(id);
  if (!one?.pieces) return;
  try {
    let text = '';
    while (text.length < MIN_PIECE_CHARACTERS) {
      const { pieces } = one;
      const { done, value } = await runTraced(one, () => pieces.next());
      if (done) {
        forgetRequest(lane, id);
        if (text !== '') sendPieceMessage(lane, id, encoder.encode(text));
        return sendFromLane(lane, { type: 'end', id });
      }
      text += typeof value === 'string' ? value : Buffer.from(value).toString();
    }
    sendPieceMessage(lane, id, encoder.encode(text));
  } catch (failure) {
    failRequest(lane, id, failure);
  }
};

const cancelRequest = async (lane: ServedLane, id: number): Promise<void> => {
  const one = lane.running.get(id);
  forgetRequest(lane, id);
  one?.abort.abort();
  await one?.pieces?.return?.();
};

/** Answers requests until the main thread closes the lane; `closed` then releases what the application holds. */
export const serveLane = (
  port: MessagePort,
  app: App,
  tracing: Tracing | undefined,
  closed: () => Promise<void>,
): void => {
  const routes = new Map(app.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const lane: ServedLane = { port, app, routes, running: new Map(), tracing };
  const remote = registerRemoteWorker(app.engine.jobs, (message) => sendFromLane(lane, message));

  const handleMessage = async (message: MessageToLane): Promise<void> => {
    switch (message.type) {
      case 'call':
        return answerCall(lane, message);
      case 'pull':
        return sendNextPiece(lane, message.id);
      case 'cancel':
        return cancelRequest(lane, message.id);
      case 'abort':
        return lane.running.get(message.id)?.abort.abort();
      case 'notice':
        return app.hear(message.notice);
      case 'carried':
        return remote.released(message.id);
      case 'close':
        await closed();
    }
  };

  app.engine.jobs.onAnnounced(() => sendFromLane(lane, { type: 'notice', notice: { type: 'jobs' } }));
  port.on('message', (message: MessageToLane) => {
    // A failure of a stream that nobody reads any more can be ignored.
    handleMessage(message).catch(() => {});
  });
  sendFromLane(lane, { type: 'ready' });
};
