import journal from './meta/_journal.json';
import m0000 from './0000_start.sql';
import m0001 from './0001_turns.sql';
import m0002 from './0002_webhooks.sql';
import m0003 from './0003_branch-heads.sql';
import m0004 from './0004_outdated-comments.sql';
import m0005 from './0005_open-pull-request.sql';
import m0006 from './0006_ship.sql';
import m0007 from './0007_pull-request-base.sql';
import m0008 from './0008_target-commit.sql';
import m0009 from './0009_plain-words.sql';
import m0010 from './0010_pending-pull-request.sql';
import m0011 from './0011_turn-link-bytes.sql';
import m0012 from './0012_activity.sql';
import m0013 from './0013_prompt-writer.sql';
import m0014 from './0014_filings.sql';
import m0015 from './0015_payers.sql';
import m0016 from './0016_usage.sql';
import m0017 from './0017_event-log.sql';
import m0018 from './0018_link-cursor.sql';
import m0019 from './0019_totals.sql';
import m0020 from './0020_request-ids.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006,
m0007,
m0008,
m0009,
m0010,
m0011,
m0012,
m0013,
m0014,
m0015,
m0016,
m0017,
m0018,
m0019,
m0020
    }
  }
  