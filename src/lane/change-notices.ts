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
  /** Parts that are created after the code that sends notices. */
  readonly later: () => {
    readonly principals: Pick<PrincipalResolver, 'forget' | 'forgetAll'>;
    readonly dispatcher: Pick<DeliveryDispatcher, 'wake'>;
    readonly refresher: Pick<Refresher, 'wake'>;
  };
};

type ChangeNotices = {
  /**
   * Applies a change that another application of the process has made: drops stale cache entries and wakes the parts
   * concerned.
   */
  readonly applyNotice: (notice: ChangeNotice) => void;
  /** Applies a change of this application and passes it on to the other applications. */
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
        // This process looks a user up again as soon as the user's rights have changed.
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
