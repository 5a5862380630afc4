import type { RecordFacts } from '../../access/authorization.ts';
import type { RedactForPrincipal } from '../../events/event-visibility.ts';
import type { Engine } from '../engine.ts';
import { type RedactionReader, redactValues } from './redaction.ts';

/** Redacts values for many callers who are served together. */

const lookOnce = <T>(known: Map<string, Promise<T>>, key: string, look: () => Promise<T>): Promise<T> => {
  const looked = known.get(key) ?? look();
  known.set(key, looked);
  return looked;
};

/**
 * Creates a redaction that looks each record up once, whoever asks, so that the number of statements does not grow with
 * the number of callers. It keeps what it has found, so it must not live longer than the work that it is made for.
 */
export const createSharedRedaction = ({
  authorizer,
  facts,
  store,
  registry,
}: Pick<Engine, 'authorizer' | 'facts' | 'store' | 'registry'>): RedactForPrincipal => {
  const named: Map<string, ReturnType<typeof store.reference>> = new Map();
  const known = new Map<string, Promise<RecordFacts | undefined>>();
  const reader: RedactionReader = {
    authorizer,
    registry,
    store: {
      referenceById: store.referenceById,
      reference: (kind, fqn) => lookOnce(named, `${kind.entityType} ${fqn}`, () => store.reference(kind, fqn)),
    },
    facts: {
      readMany: async (ids, needs) => {
        const wanted = [...needs].sort().join(' ');
        const found = await Promise.all(
          ids.map((id) => lookOnce(known, `${id} ${wanted}`, () => facts.read(id, needs))),
        );
        return new Map(ids.flatMap((id, at) => (found[at] ? [[id, found[at]] as const] : [])));
      },
    },
  };
  return (principal, values) => redactValues(reader, principal, values);
};
