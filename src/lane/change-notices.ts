import type { Authorizer } from '../access/authorization.ts';
import type { PrincipalResolver } from '../access/principal.ts';
import type { DeliveryDispatcher } from '../events/dispatcher.ts';
import type { EventService } from '../events/event-service.ts';
import type { JobQueue } from '../jobs/job-queue.ts';
import type { Refresher } from '../search/maintenance/refresher.ts';
import type { ChangeNotice } from './messages.ts';

type NoticeTargets = {
  readonly judge: Pick<Authorizer, 'invalidate'>;
  readonly jobs: Pick<JobQueue, 'announce'>;
  readonly events: Pick<EventService, 'committed'>;
  /** Parts that are made after those who notify. */
  readonly later: () => {
    readonly principals: Pick<PrincipalResolver, 'forget' | 'forgetAll'>;
    readonly dispatcher: Pick<DeliveryDispatcher, 'wake'>;
    readonly refresher: Pick<Refresher, 'wake'>;
  };
};

type ChangeNotices = {
  /** Learns what another application of the process has changed: forgets what it knew, and looks again. */
  readonly applyNotice: (notice: ChangeNotice) => void;
  /** Does the same for a change of this application's own, and tells the others of it. */
  readonly notify: (notice: ChangeNotice) => void;
};

export const createChangeNotices = (
  { judge, jobs, events, later }: NoticeTargets,
  sendNotice: (notice: ChangeNotice) => void = () => {},
): ChangeNotices => {
  const applyNotice = (notice: ChangeNotice): void => {
    const { principals, dispatcher, refresher } = later();
    switch (notice.type) {
      case 'rights':
        judge.invalidate();
        principals.forgetAll();
        return;
      case 'written':
        // A user whose rights changed is looked up again at once by this process.
        for (const name of notice.names) principals.forget(name);
        if (notice.calls) dispatcher.wake();
        return;
      case 'committed':
        events.committed();
        refresher.wake();
        return;
      case 'jobs':
        jobs.announce();
    }
  };
  const notify = (notice: ChangeNotice): void => {
    applyNotice(notice);
    sendNotice(notice);
  };
  return { applyNotice, notify };
};
