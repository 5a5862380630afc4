import type { Judge } from '../access/authorize.ts';
import type { Principals } from '../access/principal.ts';
import type { Dispatcher } from '../events/dispatcher.ts';
import type { Events } from '../events/events.ts';
import type { Jobs } from '../jobs/jobs.ts';
import type { Refresher } from '../search/upkeep/refresher.ts';
import type { Notice } from './messages.ts';

type Caches = {
  readonly judge: Pick<Judge, 'outdate'>;
  readonly jobs: Pick<Jobs, 'announce'>;
  readonly events: Pick<Events, 'committed'>;
  /** Parts that are made after those who notify. */
  readonly later: () => {
    readonly principals: Pick<Principals, 'forget' | 'forgetAll'>;
    readonly dispatcher: Pick<Dispatcher, 'wake'>;
    readonly refresher: Pick<Refresher, 'wake'>;
  };
};

type Notices = {
  /** Learns what another application of the process has changed: forgets what it knew, and looks again. */
  readonly hear: (notice: Notice) => void;
  /** Does the same for a change of this application's own, and tells the others of it. */
  readonly notify: (notice: Notice) => void;
};

export const createNotices = (
  { judge, jobs, events, later }: Caches,
  tell: (notice: Notice) => void = () => {},
): Notices => {
  const hear = (notice: Notice): void => {
    const { principals, dispatcher, refresher } = later();
    switch (notice.type) {
      case 'rights':
        judge.outdate();
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
  const notify = (notice: Notice): void => {
    hear(notice);
    tell(notice);
  };
  return { hear, notify };
};
