import type { Judge } from './authorize.ts';
import type { Principal } from './principal.ts';

/** The resource that rules name which let a bot act for people. */
const RESOURCE = 'user';

/** Checks that policies grant the operation `Impersonate`; throws forbidden when none does. */
export const impersonationCheck =
  (judge: Pick<Judge, 'authorize' | 'settle'>) =>
  async (bot: Principal): Promise<void> => {
    await judge.settle();
    judge.authorize(bot, ['Impersonate'], { resource: RESOURCE });
  };
