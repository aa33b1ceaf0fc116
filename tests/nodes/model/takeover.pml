/* The protocol of docs/many-nodes.md for one campaign: two nodes, a primary with a synchronous
   standby, which may be promoted once, and two requests that clients repeat until they are answered.
   A statement that was sent runs at any later time or never, also after its connection was lost.

   Checked: what was acknowledged is in the log and stays there, no request is in it twice, and the
   log of an owner does not grow behind its back. Each of these makes a check fail, which shows that
   it looks at something: NO_EPOCH, NO_COMPARE, NO_WAIT, NO_CLAIM_WAIT. model_test.py runs them all. */

#define NODES 2
#define REQUESTS 2
#define LOG 3       /* longest log */
#define CLAIMS 3    /* of both nodes together */
#define SENDS 3     /* statements of both nodes together */

/* The row in updraft.leases and the events, of the primary and of the standby, and how far the
   write-ahead log reaches on each. */
byte epoch, head, log[LOG], wal;
byte s_epoch, s_head, s_log[LOG], s_wal;
bool promoted;

/* Acknowledged requests, by number from 1. */
bool acked[REQUESTS + 1];

/* Statements that were sent; one that has run, or never will, has request 0. */
typedef Statement { byte by; byte in_session; byte epoch; byte head; byte request };
Statement sent[SENDS];
byte session[NODES];          /* a connection that is lost makes a new one */
byte answer[NODES];           /* to the statement of this session: 0 none, 1 done, 2 refused */
byte answer_wal[NODES];       /* the standby must have this much before it is given */
byte claims, sends;

inline check_acknowledged() {
  assert(!acked[1] || (head > 0 && log[0] == 1) || (head > 1 && log[1] == 1) || (head > 2 && log[2] == 1));
  assert(!acked[2] || (head > 0 && log[0] == 2) || (head > 1 && log[1] == 2) || (head > 2 && log[2] == 2))
}

#define IN_LOG(r, n) ((n > 0 && log[0] == r) || (n > 1 && log[1] == r) || (n > 2 && log[2] == r))

#define IS_CURRENT(i) (sent[i].in_session == session[sent[i].by])

#ifdef NO_COMPARE
#define FITS(i) (head < LOG)
#else
#ifdef NO_EPOCH
#define FITS(i) (sent[i].head == head && head < LOG)
#else
#define FITS(i) (sent[i].epoch == epoch && sent[i].head == head && head < LOG)
#endif
#endif

/* Runs statements in any order, or loses them with their connections. */
inline run_or_lose(i) {
  atomic {
    sent[i].request != 0 ->
    if
    :: true -> /* it runs */
       if
       :: FITS(i) ->
          assert(!IN_LOG(sent[i].request, head));
          log[head] = sent[i].request; head++; wal++;
          if :: IS_CURRENT(i) -> answer[sent[i].by] = 1; answer_wal[sent[i].by] = wal :: else fi
       :: else ->
          if :: IS_CURRENT(i) -> answer[sent[i].by] = 2 :: else fi
       fi
    :: true -> /* the connection is lost before it runs */
       if :: IS_CURRENT(i) -> session[sent[i].by]++; answer[sent[i].by] = 0 :: else fi
    fi;
    forget(i)
  }
}

inline forget(i) {
  sent[i].by = 0; sent[i].in_session = 0; sent[i].epoch = 0; sent[i].head = 0; sent[i].request = 0
}

active proctype server() {
end:
  do
  :: run_or_lose(0)
  :: run_or_lose(1)
  :: run_or_lose(2)
  od
}

active proctype replication() {
end:
  do
  :: atomic { !promoted && s_wal < wal ->
       s_epoch = epoch; s_head = head; s_log[0] = log[0]; s_log[1] = log[1]; s_log[2] = log[2];
       s_wal = wal }
  :: atomic { !promoted -> /* the primary is gone, with every statement and connection */
       promoted = true;
       epoch = s_epoch; head = s_head; log[0] = s_log[0]; log[1] = s_log[1]; log[2] = s_log[2];
       wal = s_wal;
       session[0]++; session[1]++; answer[0] = 0; answer[1] = 0;
       forget(0); forget(1); forget(2);
       check_acknowledged() }
  od
}

/* The standby has this much; after the promotion, the new primary has a standby that has it all. */
#define KEPT(w) (promoted || s_wal >= w)

#ifdef NO_WAIT
#define ANSWERS true
#else
#define ANSWERS KEPT(answer_wal[me])
#endif

proctype node(byte me) {
  byte my_epoch, my_head, my_session, claim_wal, request;
  bool knows[REQUESTS + 1];
end:
  do
  :: atomic { my_epoch == 0 && claims < CLAIMS -> /* claims the campaign, from any owner */
              claims++; epoch++; wal++; my_epoch = epoch; my_head = head; claim_wal = wal;
              my_session = session[me]; answer[me] = 0 }
#ifndef NO_CLAIM_WAIT
     if
     :: KEPT(claim_wal) && session[me] == my_session -> skip
     :: session[me] != my_session -> my_epoch = 0
     fi;
#endif
     atomic { if
     :: my_epoch != 0 ->  /* reads up to the head that the claim returned */
        knows[1] = IN_LOG(1, my_head); knows[2] = IN_LOG(2, my_head)
     :: else fi }
  :: atomic { my_epoch != 0 && session[me] != my_session -> my_epoch = 0 } /* it was lost */
  :: atomic { my_epoch != 0 && session[me] == my_session && sends < SENDS ->
       if :: !acked[1] -> request = 1 :: !acked[2] -> request = 2 :: acked[1] && acked[2] -> request = 0 fi;
       /* Nobody writes behind the back of who has the epoch. */
       assert(my_epoch != epoch || my_head == head) };
     if
     :: request == 0 -> break
     :: request != 0 && knows[request] -> atomic { acked[request] = true; check_acknowledged() }
     :: sends == SENDS -> skip
     :: atomic { request != 0 && !knows[request] && sends < SENDS ->
                 answer[me] = 0;
                 sent[sends].by = me; sent[sends].in_session = my_session;
                 sent[sends].epoch = my_epoch; sent[sends].head = my_head;
                 sent[sends].request = request; sends++ };
        if
        :: atomic { session[me] == my_session && answer[me] == 1 && ANSWERS ->
             answer[me] = 0; knows[request] = true; my_head++; acked[request] = true;
             check_acknowledged() }
        :: atomic { session[me] == my_session && answer[me] == 2 -> answer[me] = 0; my_epoch = 0 }
        :: atomic { session[me] != my_session -> my_epoch = 0 }
        :: atomic { session[me] == my_session -> /* no answer in time, or a warning: in doubt */
             session[me]++; my_epoch = 0; answer[me] = 0 }
        fi
     fi
  :: claims == CLAIMS && my_epoch == 0 -> break
  :: sends == SENDS -> break
  od
}

init { atomic { run node(0); run node(1) } }
