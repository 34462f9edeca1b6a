import journal from './meta/_journal.json';
import m0000 from './0000_crons.sql';
import m0001 from './0001_usage.sql';
import m0002 from './0002_run-log.sql';

  export default {
    journal,
    migrations: {
      m0000,
m0001,
m0002
    }
  }
  