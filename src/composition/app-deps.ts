import type { HashCost } from '../access/password.ts';
import type { SecretBox } from '../access/secret-box.ts';
import type { SigningKey } from '../access/signing-key.ts';
import type { AuditOptions } from '../audit/log.ts';
import type { LimitOverrides } from '../catalog/limits.ts';
import type { Registry } from '../catalog/registry.ts';
import type { Config } from '../config.ts';
import type { EventServiceOptions } from '../events/event-service.ts';
import type { Graph } from '../graph/client.ts';
import type { EventStreamOptions } from '../http/event-stream.ts';
import type { Log } from '../http/log.ts';
import type { Metrics } from '../http/metrics.ts';
import type { RequestLane } from '../http/request-lane.ts';
import type { LabelFollowerOptions } from '../insight/propagation/label-follower.ts';
import type { JobRunnerOptions } from '../jobs/job-runner.ts';
import type { ChangeNotice } from '../lane/messages.ts';
import type { NotificationServiceOptions } from '../notifications/notification-service.ts';
import type { RefresherOptions } from '../search/maintenance/refresher.ts';
import type { IndexerOptions } from '../search/typesense/indexer.ts';

/** What an application is built from. */
export type AppDeps = {
  readonly config: Config;
  readonly graph: Graph;
  readonly registry: Registry;
  readonly key: SigningKey;
  readonly secrets: SecretBox;
  readonly clock: () => number;
  readonly metrics: Metrics;
  readonly log: Log;
  /** Answers the requests that would block the event loop. Without it, this thread answers every request. */
  readonly lane?: RequestLane;
  /** Receives each change that this application makes, so that other threads of the process drop what they cached. */
  readonly tell?: (notice: ChangeNotice) => void;
  /** Limits that have no setting. */
  readonly bounds?: LimitOverrides & {
    readonly jobs?: Partial<JobRunnerOptions>;
    readonly events?: Partial<EventServiceOptions>;
    readonly notifications?: Partial<NotificationServiceOptions>;
    readonly streams?: EventStreamOptions;
    readonly refresher?: Partial<RefresherOptions>;
    readonly indexer?: Partial<IndexerOptions>;
    readonly labels?: Partial<LabelFollowerOptions>;
    readonly audit?: Partial<AuditOptions>;
    /** How long a search goes on until it answers what it has. */
    readonly patienceMs?: number;
    /** How long the body of a request without a token may take to arrive. */
    readonly publicBodyMs?: number;
    /** What hashes of passwords cost. */
    readonly passwordCost?: HashCost;
  };
};
