import journal from './meta/_journal.json';
import m0000 from './0000_crons.sql';
import m0001 from './0001_usage.sql';
import m0002 from './0002_run-log.sql';
import m0003 from './0003_event-log.sql';
import m0004 from './0004_link-cursor.sql';
import m0005 from './0005_totals.sql';
import m0006 from './0006_request-ids.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002,
m0003,
m0004,
m0005,
m0006
    }
  }
  