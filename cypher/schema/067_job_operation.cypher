// The jobs of one operation are listed, newest first, by whoever keeps an eye on it.
CREATE INDEX Job_operation IF NOT EXISTS FOR (n:Job) ON (n.operation, n.place)
