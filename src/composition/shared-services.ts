import { createAuthorizer } from '../access/authorizer.ts';
import { SYSTEM_PRINCIPAL } from '../access/service-identity.ts';
import { type Audit, openAudit } from '../audit/audit.ts';
import type { Engine } from '../catalog/engine.ts';
import { type OdcsDocuments, openOdcsDocuments } from '../contracts/odcs/texts/documents.ts';
import { type EventService, openEventService } from '../events/event-service.ts';
import { createEventStreams, type EventStreams } from '../http/event-stream.ts';
import { type JobQueue, openJobQueue } from '../jobs/job-queue.ts';
import { createChangeNotices } from '../lane/change-notices.ts';
import type { ChangeNotice } from '../lane/messages.ts';
import { DAY_MS, monotonicNow } from '../model/time.ts';
import { removeOldNotifications } from '../notifications/retention.ts';
import { createUserDirectory } from '../people/user-directory.ts';
import { createRightsReader } from '../permissions/rights-reader.ts';
import type { AppDeps } from './app-deps.ts';
import { composeEngine } from './engine.ts';

/** The services that all subjects share. */
export type SharedServices = {
  readonly jobs: JobQueue;
  readonly audit: Audit;
  /** The open event streams, which last as long as a client listens. */
  readonly streams: EventStreams;
  readonly events: EventService;
  readonly judge: ReturnType<typeof createAuthorizer>;
  readonly documents: OdcsDocuments;
  readonly engine: Engine;
  readonly directory: ReturnType<typeof createUserDirectory>;
  /** Applies a change that another application of the process made. */
  readonly applyNotice: (notice: ChangeNotice) => void;
  /** Reports the failure of a row of an imported file. */
  readonly onRowFailure: (failure: unknown) => void;
};

/** The parts that a change must reach, although they are created from the shared services. */
type NoticedParts = Parameters<typeof createChangeNotices>[0]['later'];

const openEvents = ({ config, graph, log, clock, bounds }: AppDeps): EventService =>
  openEventService({
    graph,
    log,
    clock,
    retentionMs: config.eventRetentionDays * DAY_MS,
    sweepMore: { 'old notifications': () => removeOldNotifications(graph, clock()) },
    options: bounds?.events ?? {},
  });

export const composeSharedServices = (deps: AppDeps, later: NoticedParts): SharedServices => {
  const { graph, registry, log, bounds } = deps;
  const jobs = openJobQueue(graph);
  const audit = openAudit({ ...deps, options: bounds?.audit });
  const streams = createEventStreams(bounds?.streams);
  const events = openEvents(deps);
  const judge = createAuthorizer({
    ...createRightsReader(graph),
    assets: new Set(registry.kinds.filter(({ isAsset }) => isAsset).map(({ entityType }) => entityType)),
    subjectTypes: new Map(
      registry.kinds.flatMap(({ entityType, isAbout }) => (isAbout ? [[entityType, isAbout]] : [])),
    ),
    clock: monotonicNow,
  });
  const documents = openOdcsDocuments({ report: (cause) => log.error('the thread of documents failed', {}, cause) });
  const { applyNotice, notify } = createChangeNotices({ judge, jobs, events, later }, deps.tell);
  const engine = composeEngine(deps, { jobs, judge, documents, notify });
  return {
    jobs,
    audit,
    streams,
    events,
    judge,
    documents,
    engine,
    directory: createUserDirectory(engine, SYSTEM_PRINCIPAL),
    applyNotice,
    onRowFailure: (failure) => log.error('a row of a file failed', {}, failure),
  };
};
