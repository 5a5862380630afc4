import {
  always,
  itemsOf,
  leaf,
  type MemberShape,
  type MemberShapes,
  only2,
  shapeOf,
  since,
  text,
  was,
} from './member-shapes.ts';

/** What many members of the table in `shape.ts` contain: definitions, custom properties, tags and IDs. */

export const id = since('v3.1.0', leaf('id'));
export const tags = was(leaf('texts'), 'tags', { conversion: 'texts' });

export const definitions = itemsOf(
  shapeOf({
    url: was(always(text), 'url'),
    type: was(always(text), 'type'),
    description: since('v3.1.0', text),
    id,
  }),
);

const customProperty = shapeOf(
  {
    property: was({ ...text, must: { since: 'v3.1.0' } }, 'property'),
    value: was(leaf('json'), 'value'),
    description: since('v3.1.0', text),
    vendor: since('v3.2.0', text),
    id,
  },
  { conversion: 'customProperty' },
);
export const customProperties: MemberShape = { shape: { list: () => ({ object: () => customProperty }), keyed: true } };
export const customProperties2 = was(customProperties, 'customProperties');

/** Texts that only 2.2.x has. */
export const texts2 = (...names: readonly string[]): MemberShapes =>
  Object.fromEntries(names.map((name) => [name, only2(text)]));
