// The profiles of a series are read by time, the newest first.
CREATE INDEX Profile_series IF NOT EXISTS FOR (n:Profile) ON (n.series, n.place)
