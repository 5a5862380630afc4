// Events are read by their numbers and places; their bare time would only cost those who write them.
DROP INDEX ChangeEvent_timestamp IF EXISTS
