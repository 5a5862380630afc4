import type { FieldsProps } from './basic-fields.tsx';
import { Clause } from './clause.tsx';
import type { ContractColumn, ServiceLevel } from './form.ts';
import { ZONES } from './timezones.ts';

/** What is promised of the freshness and the keeping of the data. */

type DurationProps<Unit extends string> = {
  readonly label: string;
  readonly amount: number | undefined;
  readonly unit: Unit | undefined;
  readonly units: readonly [Unit, ...Unit[]];
  /** Nothing is promised without an amount. */
  readonly onChange: (duration: { readonly amount: number; readonly unit: Unit } | undefined) => void;
};

const DurationField = <Unit extends string>({ label, amount, unit, units, onChange }: DurationProps<Unit>) => {
  const [first] = units;
  const unitOf = (text: string): Unit => units.find((one) => one === text) ?? first;
  return (
    <fieldset className="duration">
      <legend>{label}</legend>
      <input
        type="number"
        min={1}
        step={1}
        aria-label={`${label}: number`}
        value={amount ?? ''}
        onChange={({ target }) => {
          const next = target.valueAsNumber;
          onChange(Number.isNaN(next) ? undefined : { amount: next, unit: unit ?? first });
        }}
      />
      <select
        aria-label={`${label}: unit`}
        value={unit ?? first}
        disabled={amount === undefined}
        onChange={({ target }) => amount !== undefined && onChange({ amount, unit: unitOf(target.value) })}
      >
        {units.map((one) => (
          <option key={one} value={one}>
            {one}s
          </option>
        ))}
      </select>
    </fieldset>
  );
};

type LevelChange = { readonly [Key in keyof ServiceLevel]: ServiceLevel[Key] | undefined };

/** Members without a value are left out, so that an empty service level is none. */
const withLevel = (sla: ServiceLevel, change: LevelChange): ServiceLevel =>
  Object.fromEntries(Object.entries({ ...sla, ...change }).filter(([, value]) => value !== undefined));

const DurationFields = ({ sla, set }: { readonly sla: ServiceLevel; readonly set: (change: LevelChange) => void }) => (
  <>
    <DurationField
      label="Refreshed every"
      amount={sla.refreshFrequency?.interval}
      unit={sla.refreshFrequency?.unit}
      units={['hour', 'day', 'week', 'month', 'year']}
      onChange={(next) => set({ refreshFrequency: next && { interval: next.amount, unit: next.unit } })}
    />
    <DurationField
      label="No older than"
      amount={sla.maxLatency?.value}
      unit={sla.maxLatency?.unit}
      units={['minute', 'hour', 'day']}
      onChange={(next) => set({ maxLatency: next && { value: next.amount, unit: next.unit } })}
    />
    <DurationField
      label="Kept for"
      amount={sla.retention?.period}
      unit={sla.retention?.unit}
      units={['day', 'week', 'month', 'year']}
      onChange={(next) => set({ retention: next && { period: next.amount, unit: next.unit } })}
    />
  </>
);

type LevelFieldsProps = FieldsProps & { readonly columns: readonly ContractColumn[] };

export const LevelFields = ({ columns, form, setForm, problems }: LevelFieldsProps) => {
  const { sla } = form;
  const set = (change: LevelChange) => setForm({ sla: withLevel(sla, change) });
  return (
    <Clause title="Service level" members={['sla']} problems={problems} hint="What is left empty is not promised.">
      <div className="field-pair">
        <DurationFields sla={sla} set={set} />
        <label className="field">
          <span>Complete by</span>
          <input
            type="time"
            value={sla.availabilityTime ?? ''}
            onChange={({ target }) => set({ availabilityTime: target.value || undefined })}
          />
        </label>
        <label className="field">
          <span>Time zone</span>
          <select
            value={sla.timezone ?? ''}
            onChange={({ target }) => set({ timezone: ZONES.find((zone) => zone === target.value) })}
          >
            <option value="">not stated</option>
            {ZONES.map((zone) => (
              <option key={zone}>{zone}</option>
            ))}
          </select>
        </label>
        {columns.length > 0 && (
          <label className="field">
            <span>Column with the time of the data</span>
            <input
              type="text"
              list="contract-columns"
              value={sla.columnName ?? ''}
              onChange={({ target }) => set({ columnName: target.value || undefined })}
            />
            <datalist id="contract-columns">
              {columns.slice(0, 200).map(({ name }) => (
                <option key={name} value={name} />
              ))}
            </datalist>
          </label>
        )}
      </div>
    </Clause>
  );
};
