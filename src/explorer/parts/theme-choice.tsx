import { chooseTheme, type Theme, useTheme } from '../session/theme.ts';

const THEMES: readonly { readonly theme: Theme; readonly name: string }[] = [
  { theme: 'system', name: 'System' },
  { theme: 'light', name: 'Light' },
  { theme: 'dark', name: 'Dark' },
];

export const ThemeChoice = () => {
  const chosen = useTheme();
  return (
    <label className="theme-choice">
      <span>Theme</span>
      <select className="button" value={chosen} onChange={({ target }) => chooseTheme(target.value as Theme)}>
        {THEMES.map(({ theme, name }) => (
          <option key={theme} value={theme}>
            {name}
          </option>
        ))}
      </select>
    </label>
  );
};
