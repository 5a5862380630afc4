import type { Kind } from '../../model/kind/kind.ts';
import {
  type CustomPropertyDefinition,
  defineCustomProperty,
  type StoredCustomProperty,
} from '../../model/schemas/types/custom-property.ts';
import type { Registry } from '../registry.ts';
import type { Snapshot } from './snapshot.ts';

/** The custom properties of one kind by their names. */
export type CustomPropertyDefinitions = ReadonlyMap<string, CustomPropertyDefinition>;

const CUSTOM_PROPERTIES = 'customProperties';

/** The members of a type that define custom properties. */
export const DEFINING_FIELDS: ReadonlySet<string> = new Set([CUSTOM_PROPERTIES]);

const parseDefinitions = ({ values, mentioned }: Snapshot): CustomPropertyDefinitions =>
  new Map(
    ((values[CUSTOM_PROPERTIES] ?? []) as unknown as readonly StoredCustomProperty[]).flatMap(
      ({ name, propertyType, customPropertyConfig }) => {
        const type = mentioned.get(propertyType.id);
        return type ? [[name, defineCustomProperty(name, type.name, customPropertyConfig?.config)] as const] : [];
      },
    ),
  );

/** Reads the custom properties of a kind from the record that describes it. */
export const readCustomPropertyDefinitions = async (
  { kinds }: Registry,
  read: (kind: Kind, fqn: string) => Promise<Snapshot | undefined>,
  kind: Kind,
): Promise<CustomPropertyDefinitions> => {
  const describing = kinds.find(({ describesKinds }) => describesKinds);
  const type = describing && (await read(describing, kind.entityType));
  return type ? parseDefinitions(type) : new Map();
};
