import type { MessagePort } from 'node:worker_threads';
import type { App } from '../app.ts';
import { bodyOfPieces, emptyBody } from '../http/body.ts';
import type { Answer, Call, Route } from '../http/route.ts';
import { type FromLane, type HandedCall, packFailure, type ToLane } from './messages.ts';
import { employRemoteWorker } from './remote-worker.ts';

/** The heavy lane's own side: answers the requests that the main thread hands over. */

type Running = { readonly abort: AbortController; pieces?: AsyncIterator<string | Uint8Array> };

/** Small pieces of a stream go over together: a message for each would cost more than its text. */
const PIECE_CHARACTERS = 64 * 1024;

const encoder = new TextEncoder();

const encodedOf = ({ json, text, encoded }: Answer) => {
  if (encoded) return encoded;
  if (json !== undefined) return { mediaType: 'application/json', content: encoder.encode(JSON.stringify(json)) };
  return text && { mediaType: text.mediaType, content: encoder.encode(text.content) };
};

const callOf = (handed: HandedCall, route: Route, signal: AbortSignal): Call => ({
  requestId: handed.requestId,
  method: route.method,
  params: handed.params,
  query: new URLSearchParams(handed.query),
  header: (name) => handed.headers[name.toLowerCase()],
  body: handed.body.length > 0 ? bodyOfPieces(handed.body, route.body?.mediaTypes) : emptyBody,
  principal: handed.principal,
  address: handed.address,
  hrefBase: handed.hrefBase,
  signal,
  spend: () => {},
});

/** Answers requests until it is told to close; `closed` then ends what the application holds. */
export const serveLane = (port: MessagePort, app: App, closed: () => Promise<void>): void => {
  const routes = new Map(app.routes.map((route) => [`${route.method} ${route.path}`, route]));
  const running = new Map<number, Running>();

  const say = (message: FromLane, transfer: ArrayBuffer[] = []): void => port.postMessage(message, transfer);

  const sayPiece = (id: number, content: Uint8Array): void =>
    say({ type: 'piece', id, content }, [content.buffer as ArrayBuffer]);

  const fail = (id: number, failure: unknown): void => {
    running.delete(id);
    say({ type: 'failure', id, failure: packFailure(failure) });
  };

  const answer = async (handed: HandedCall): Promise<void> => {
    const { id, principal } = handed;
    const route = routes.get(`${handed.method} ${handed.path}`);
    const one: Running = { abort: new AbortController() };
    running.set(id, one);
    try {
      if (!route) throw new Error(`the heavy lane has no ${handed.method} ${handed.path}`);
      if (!principal.isAdmin) await app.engine.judge.settle();
      const done = await route.handle(callOf(handed, route, one.abort.signal));
      const head = { id, status: done.status, headers: { ...done.headers } };
      if (done.stream) {
        one.pieces = done.stream[Symbol.asyncIterator]();
        return say({ type: 'stream', ...head });
      }
      running.delete(id);
      const encoded = encodedOf(done);
      say({ type: 'answer', ...head, encoded }, encoded ? [encoded.content.buffer as ArrayBuffer] : []);
    } catch (failure) {
      fail(id, failure);
    }
  };

  const sendPiece = async (id: number): Promise<void> => {
    const one = running.get(id);
    if (!one?.pieces) return;
    try {
      let text = '';
      while (text.length < PIECE_CHARACTERS) {
        const { done, value } = await one.pieces.next();
        if (done) {
          running.delete(id);
          if (text !== '') sayPiece(id, encoder.encode(text));
          return say({ type: 'end', id });
        }
        text += typeof value === 'string' ? value : Buffer.from(value).toString();
      }
      sayPiece(id, encoder.encode(text));
    } catch (failure) {
      fail(id, failure);
    }
  };

  const cancel = async (id: number): Promise<void> => {
    const one = running.get(id);
    running.delete(id);
    one?.abort.abort();
    await one?.pieces?.return?.();
  };

  const remote = employRemoteWorker(app.engine.jobs, say);

  const hear = async (message: ToLane): Promise<void> => {
    switch (message.type) {
      case 'call':
        return answer(message);
      case 'pull':
        return sendPiece(message.id);
      case 'cancel':
        return cancel(message.id);
      case 'abort':
        return running.get(message.id)?.abort.abort();
      case 'notice':
        return app.hear(message.notice);
      case 'carried':
        return remote.carried(message.id);
      case 'close':
        await closed();
    }
  };

  app.engine.jobs.onAnnounced(() => say({ type: 'notice', notice: { type: 'jobs' } }));
  port.on('message', (message: ToLane) => {
    // Of a stream that nobody reads any more it is of no interest how it ends.
    hear(message).catch(() => {});
  });
  say({ type: 'ready' });
};
