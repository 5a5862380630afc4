// The profiles of all columns of a table are read by time, the newest first.
CREATE INDEX ColumnProfile_table IF NOT EXISTS FOR (n:ColumnProfile) ON (n.tableId, n.place)
