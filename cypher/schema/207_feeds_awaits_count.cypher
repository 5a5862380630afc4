// The edges whose count changes in a transaction are found within it; at rest there are none.
CREATE INDEX Feeds_awaits_count IF NOT EXISTS FOR ()-[e:FEEDS]-() ON (e.awaitsCount)
