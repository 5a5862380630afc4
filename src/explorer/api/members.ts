/** Reading members of records whose shape depends on their kind. Pure, so that it can be tested without a browser. */

export type Members = Readonly<Record<string, unknown>>;

export const isMembers = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export const membersAt = (value: unknown, name: string): Members | undefined => {
  const found = isMembers(value) ? value[name] : undefined;
  return isMembers(found) ? found : undefined;
};

export const textAt = (value: unknown, name: string): string | undefined => {
  const found = isMembers(value) ? value[name] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
};

export const listAt = (value: unknown, name: string): readonly unknown[] => {
  const found = isMembers(value) ? value[name] : undefined;
  return Array.isArray(found) ? found : [];
};

/** Whether a value refers to a record: it has an ID and says the type. */
export const isReference = (value: unknown): value is Members & { readonly id: string; readonly type: string } =>
  isMembers(value) && typeof value['id'] === 'string' && typeof value['type'] === 'string';

/** What people call a record or an item of one. */
export const nameAt = (value: unknown): string =>
  textAt(value, 'displayName') ?? textAt(value, 'name') ?? textAt(value, 'fullyQualifiedName') ?? '';
