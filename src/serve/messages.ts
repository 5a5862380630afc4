import type { DatabaseAddress } from '../composition/app-resources.ts';

/** What the first process and its workers tell each other. */

export type MessageToWorker =
  | { readonly type: 'start'; readonly database: DatabaseAddress }
  | { readonly type: 'stop' }
  /** Comes with the socket of a new connection. */
  | { readonly type: 'connection'; readonly id: number }
  /** Asks for the worker's own metrics. */
  | { readonly type: 'collect'; readonly id: number }
  /** The metrics of all workers as text, in answer to `render`. */
  | { readonly type: 'rendered'; readonly id: number; readonly text: string };

export type MessageFromWorker =
  /** The worker listens: messages sent before would be lost. */
  | { readonly type: 'loaded' }
  | { readonly type: 'ready' }
  /** The worker cannot start because of the configuration or the store. */
  | { readonly type: 'refused'; readonly reason: string }
  /** The worker has the connection. */
  | { readonly type: 'accepted'; readonly id: number }
  | { readonly type: 'collected'; readonly id: number; readonly metrics: object }
  /** Asks for the metrics of all workers. */
  | { readonly type: 'render'; readonly id: number };
