import { CatalogError } from '../errors.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import { type Authorizer, notAllowedMessage, type RecordFacts } from './authorization.ts';
import type { Principal } from './principal.ts';
import { NO_FACTS } from './verdict.ts';

/** The resource named by rules that let a bot act for people. */
const RESOURCE = 'user';

const OPERATIONS: readonly string[] = ['Impersonate'];

type ReadFacts = (id: string, needs: ReadonlySet<ResourceFact>) => Promise<RecordFacts | undefined>;

/**
 * Checks that policies grant the bot the operation `Impersonate` for the user of that id, and throws forbidden
 * otherwise. The facts of that user decide conditions. Without an id it checks whether policies may grant the operation
 * for any user.
 */
export const impersonationCheck =
  (authorizer: Pick<Authorizer, 'authorize' | 'ensureFresh' | 'requiredFacts'>, readFacts: ReadFacts) =>
  async (bot: Principal, targetId: string | undefined): Promise<void> => {
    await authorizer.ensureFresh();
    const needs = targetId === undefined ? NO_FACTS : authorizer.requiredFacts(bot, OPERATIONS, RESOURCE);
    if (targetId === undefined || needs.size === 0)
      return authorizer.authorize(bot, OPERATIONS, { resource: RESOURCE });
    const facts = await readFacts(targetId, needs);
    if (!facts) throw new CatalogError('forbidden', notAllowedMessage(bot, OPERATIONS));
    authorizer.authorize(bot, OPERATIONS, { resource: RESOURCE, facts });
  };
