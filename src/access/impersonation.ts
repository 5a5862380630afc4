import { CatalogError } from '../errors.ts';
import type { ResourceFact } from '../model/language/condition-evaluation.ts';
import { type Authorizer, notAllowedMessage, type RecordFacts } from './authorization.ts';
import type { Principal } from './principal.ts';
import { NO_FACTS } from './verdict.ts';

/** The resource that rules name which let a bot act for people. */
const RESOURCE = 'user';

const OPERATIONS: readonly string[] = ['Impersonate'];

type ReadFacts = (id: string, needs: ReadonlySet<ResourceFact>) => Promise<RecordFacts | undefined>;

/**
 * Checks that policies grant the operation `Impersonate` for the user of that id; throws forbidden when none does.
 * Conditions are judged by the facts of that user. Without an id it checks whether they may grant it for anybody.
 */
export const impersonationCheck =
  (judge: Pick<Authorizer, 'authorize' | 'ensureFresh' | 'requiredFacts'>, readFacts: ReadFacts) =>
  async (bot: Principal, targetId: string | undefined): Promise<void> => {
    await judge.ensureFresh();
    const needs = targetId === undefined ? NO_FACTS : judge.requiredFacts(bot, OPERATIONS, RESOURCE);
    if (targetId === undefined || needs.size === 0) return judge.authorize(bot, OPERATIONS, { resource: RESOURCE });
    const facts = await readFacts(targetId, needs);
    if (!facts) throw new CatalogError('forbidden', notAllowedMessage(bot, OPERATIONS));
    judge.authorize(bot, OPERATIONS, { resource: RESOURCE, facts });
  };
