// Deletes receipts that no retry can need any more, a limited number at a time.
MATCH (receipt:Receipt)
WHERE receipt.createdAt < timestamp() - toInteger($ageMs)
WITH receipt LIMIT toInteger($limit)
DELETE receipt
RETURN count(*) AS removed
