// Columns that were ever measured are found by their series.
CREATE INDEX Column_series IF NOT EXISTS FOR (n:Column) ON (n.profileSeries)
