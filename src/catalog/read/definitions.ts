import { type DefinedProperty, defineProperty, type Property } from '../../model/custom-property.ts';
import type { Kind } from '../../model/kind.ts';
import type { Registry } from '../registry.ts';
import type { Snapshot } from './snapshot.ts';

/** The custom properties of one kind by their names. */
export type Definitions = ReadonlyMap<string, DefinedProperty>;

const MEMBER = 'customProperties';

/** The members of a type that define custom properties. */
export const DEFINING: ReadonlySet<string> = new Set([MEMBER]);

const definitionsIn = ({ values, mentioned }: Snapshot): Definitions =>
  new Map(
    ((values[MEMBER] ?? []) as unknown as readonly Property[]).flatMap(
      ({ name, propertyType, customPropertyConfig }) => {
        const type = mentioned.get(propertyType.id);
        return type ? [[name, defineProperty(name, type.name, customPropertyConfig?.config)] as const] : [];
      },
    ),
  );

/** Reads the custom properties of a kind from the record that describes it. */
export const readDefinitions = async (
  { kinds }: Registry,
  read: (kind: Kind, fqn: string) => Promise<Snapshot | undefined>,
  kind: Kind,
): Promise<Definitions> => {
  const describing = kinds.find(({ describesKinds }) => describesKinds);
  const type = describing && (await read(describing, kind.entityType));
  return type ? definitionsIn(type) : new Map();
};
