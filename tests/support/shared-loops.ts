import type { App } from '../../src/app.ts';

/**
 * The loops of the service that all files of a process share. A file that stops one of them and fails before it starts it
 * again would starve every later file, so the process looks after them when a file has ended.
 */

const NAMES = ['runner', 'events', 'notifications', 'dispatcher'] as const;

type Loop = { start(): void; stop(): Promise<void> };

export type SharedLoops = {
  /** The application, which notes what is stopped and started. */
  readonly app: App;
  /** Starts the loops again that were left stopped, and answers their names. */
  restart(): readonly string[];
};

export const watchSharedLoops = (app: App): SharedLoops => {
  const stopped = new Set<string>();
  const watch = <L extends Loop>(name: string, loop: L): L => ({
    ...loop,
    start: () => {
      stopped.delete(name);
      loop.start();
    },
    stop: () => {
      stopped.add(name);
      return loop.stop();
    },
  });
  const watched: App = {
    ...app,
    runner: watch('runner', app.runner),
    events: watch('events', app.events),
    notifications: watch('notifications', app.notifications),
    dispatcher: watch('dispatcher', app.dispatcher),
  };
  const restart = (): readonly string[] => {
    const names = NAMES.filter((name) => stopped.has(name));
    for (const name of names) watched[name].start();
    return names;
  };
  return { app: watched, restart };
};
