// Finds the receipts that are old enough to be removed.
CREATE INDEX receipt_time IF NOT EXISTS FOR (n:Receipt) ON (n.createdAt)
