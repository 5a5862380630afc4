import type { MayDo } from '../api/permissions.ts';
import { RichText } from '../parts/rich-text.tsx';
import { Nothing } from '../parts/states.tsx';
import { Editable } from './edit/editable.tsx';
import { patchText } from './edit/patch.ts';
import type { Subject } from './edit/use-save.ts';

/** The field in which a description is written. */
export const DescriptionField = ({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (text: string) => void;
}) => (
  <label className="field">
    Description, in Markdown
    <textarea rows={8} value={value} onChange={({ target }) => onChange(target.value)} />
  </label>
);

export const Description = ({ subject, may }: { readonly subject: Subject; readonly may: MayDo }) => {
  const { description } = subject.read.asset;
  return (
    <Editable
      subject={subject}
      member="description"
      title="description"
      isAllowed={may('EditDescription')}
      start={description ?? ''}
      view={description ? <RichText text={description} /> : <Nothing>Nobody has described it yet.</Nothing>}
      build={(present, { value }) => patchText('/description', present.description, value)}
      form={(value, change) => <DescriptionField value={value} onChange={change} />}
    />
  );
};
