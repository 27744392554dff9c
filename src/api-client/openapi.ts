// Written by `npm run record-openapi` from src/http/openapi.json.
export interface paths {
  '/livez': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The program runs and answers, and Temporal has seen its Workers */
    get: operations['live'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/readyz': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Temporal and the database can be used */
    get: operations['ready'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The state of an onboarding */
    get: operations['getOnboarding'];
    /**
     * Onboard a tenant
     * @description 201: started. 200: an onboarding with the same input exists, running or successful.
     */
    put: operations['startOnboarding'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/restart': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Start a new onboarding for a tenant whose last one has ended */
    post: operations['restartOnboarding'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/cancel': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Ask an onboarding to stop and to undo what it created
     * @description The onboarding has stopped when `stage` is `undoing`, and its undo has ended when `outcome` is `cancelled`. After the provider has accepted the first email, nothing is undone. An onboarding that has already ended or is undone does not change.
     */
    post: operations['cancelOnboarding'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/first-email/release': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Allow a first email whose outcome is unknown to be sent once more
     * @description For an onboarding that failed with SendOutcomeUnknown, after you have seen at the provider that the email was not accepted. Sends nothing: start the onboarding again with the same input. If the provider did accept the email, the recipient gets it twice.
     */
    post: operations['releaseFirstEmail'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Onboardings that meet every given condition, the latest start first */
    get: operations['listOnboardings'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/check-now': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check the DNS of a waiting tenant now, and return what is still missing
     * @description A check that takes longer than ten seconds, as at a provider that does not answer, is answered 202: it goes on, and the onboarding shows its result. Requests within five seconds, or until the result, share one check. An onboarding may have 30 checks at once and one more each hour.
     */
    post: operations['checkNow'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/extend': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Extend the verification window of a waiting tenant
     * @description Extends once for each Idempotency-Key. Without one, a repetition with the same hours extends once until the deadline has moved.
     */
    post: operations['extendVerification'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/api-key/claim': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Receive the tenant's API token, once
     * @description sendoff forgets the token. With an Idempotency-Key, a claim whose answer was lost can be repeated for 60 seconds.
     */
    post: operations['claimApiKey'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/muted-records/{purpose}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    /**
     * Leave a record of a verified domain out of the domain's state
     * @description Ends a drift that has no other cause. Muting a muted record replaces its reason.
     */
    put: operations['muteRecord'];
    post?: never;
    /** Let a muted record count again; the next sweep checks the domain */
    delete: operations['unmuteRecord'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/setup-link': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Create a link to the tenant's setup page
     * @description Hand it to the person who manages the DNS: everyone with the link sees the page. A tenant may have several. Each opens while this onboarding runs and for 7 days after its end.
     */
    post: operations['createSetupLink'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/setup-links': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    post?: never;
    /** Revoke every link to the tenant's setup page */
    delete: operations['revokeSetupLinks'];
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/onboardings/{tenantId}/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The events of a tenant as they happen (Server-Sent Events) */
    get: operations['streamOnboardingEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/events': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The events of all tenants as they happen (Server-Sent Events) */
    get: operations['streamEvents'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/notifications': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** Notifications to the backend, the latest first */
    get: operations['listNotifications'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/notifications/{id}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A notification and its delivery */
    get: operations['getNotification'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/notifications/{id}/replay': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Deliver a notification again, with the same ID, after the tenant's pending ones
     * @description A pending notification does not change.
     */
    post: operations['replayNotification'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/agents-md-checks': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Check the AGENTS.md of a producer
     * @description 202: the check is running; a request with the same input joins it. 200: it has ended within the time that `Prefer: wait` allows.
     */
    post: operations['startCheck'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/agents-md-checks/{producerId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The running check of a producer and the latest result */
    get: operations['getCheck'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/producers/{producerId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** A producer with its last conclusive results */
    get: operations['getProducer'];
    /**
     * Add a producer to the catalogue, or change it
     * @description 201: added; its first check is due at once. 200: it existed.
     */
    put: operations['putProducer'];
    post?: never;
    /** Remove a producer from the catalogue, with its results */
    delete: operations['deleteProducer'];
    options?: never;
    head?: never;
    /**
     * Pause the checks of a producer, or resume them
     * @description Changes nothing else of the producer. The next check of one that is resumed is due at once.
     */
    patch: operations['pauseProducer'];
    trace?: never;
  };
  '/producers': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The producers that meet every given condition */
    get: operations['listProducers'];
    /**
     * Add and change many producers: JSON Lines, one object with producerId per line, at most 50,000
     * @description All or nothing: an invalid line changes nothing, and is named with its field.
     */
    put: operations['importProducers'];
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/producers/check': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** How many of the producers that were asked for at a time are answered */
    get: operations['getCheckProgress'];
    put?: never;
    /** Check producers now: by ID, with a label, or all; `Location` is the progress */
    post: operations['checkProducers'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/producers/report': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The report of the catalogue, each producer with its fix */
    get: operations['getProducersReport'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/producers/{producerId}/badge.svg': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    /** The latest outcome of a producer as an image; needs no token if AGENTS_MD_PUBLIC_BADGES is set */
    get: operations['getProducerBadge'];
    put?: never;
    post?: never;
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/{tenantId}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** Receive a webhook of the provider, signed with the tenant's secret (Standard Webhooks) */
    post: operations['receiveWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  '/webhooks/provider/{name}': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /**
     * Receive a webhook of the operator's account at a provider, about any tenant
     * @description Authentic in the way of the provider (docs/providers.md). A repetition changes nothing.
     */
    post: operations['receiveProviderWebhook'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface webhooks {
  'onboarding.domain_registered': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The DNS records to publish are known, and the window has begun. */
    post: operations['onboarding.domain_registered'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.needs_attention': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A person should act. */
    post: operations['onboarding.needs_attention'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.verified': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The domain was verified. */
    post: operations['onboarding.verified'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.onboarded': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The first email was delivered. */
    post: operations['onboarding.onboarded'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.failed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The onboarding failed. */
    post: operations['onboarding.failed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.cancelled': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The onboarding was cancelled. */
    post: operations['onboarding.cancelled'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.undo_ended': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The undo of a failed or cancelled onboarding has ended. */
    post: operations['onboarding.undo_ended'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'onboarding.terminated': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The execution was terminated in Temporal, or was deleted there. */
    post: operations['onboarding.terminated'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'domain.drifted': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A verified domain no longer has a required record. */
    post: operations['domain.drifted'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'domain.recovered': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** A domain that had drifted is right again. */
    post: operations['domain.recovered'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
  'agents_md.changed': {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    get?: never;
    put?: never;
    /** The outcome of a producer's AGENTS.md check changed. */
    post: operations['agents_md.changed'];
    delete?: never;
    options?: never;
    head?: never;
    patch?: never;
    trace?: never;
  };
}
export interface components {
  schemas: {
    /** @description What failed and what to do (RFC 9457). */
    Problem: {
      /**
       * @description Stable; programs decide by it.
       * @enum {string}
       */
      code:
        | 'malformed_json'
        | 'malformed_request'
        | 'idempotency_key_malformed'
        | 'invalid_api_key'
        | 'invalid_signature'
        | 'not_found'
        | 'method_not_allowed'
        | 'request_timeout'
        | 'onboarding_differs'
        | 'onboarding_undoing'
        | 'update_refused'
        | 'api_key_claimed'
        | 'api_key_not_claimable'
        | 'check_differs'
        | 'onboarding_gone'
        | 'payload_too_large'
        | 'unsupported_media_type'
        | 'expectation_failed'
        | 'validation_failed'
        | 'too_many_checks'
        | 'headers_too_large'
        | 'internal_error'
        | 'unavailable'
        | 'too_many_streams'
        | 'temporal_not_set_up'
        | 'notifications_off'
        | 'agents_md_off'
        | 'no_worker_answered';
      title: string;
      status: number;
      detail: string;
      request_id: string;
      existing_id?: string;
      /** @description The fields in which two inputs differ. */
      fields?: string[];
      /** Format: date-time */
      claimed_at?: string;
      claimed_by?: string;
      errors?: {
        /** @description JSON Pointer (RFC 6901) to the field. */
        pointer: string;
        code: string;
        detail: string;
      }[];
    };
    /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
    OnboardingView: {
      tenantId: string;
      workflowId: string;
      runId: string;
      domain: string;
      /** @enum {string} */
      outcome: 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated';
      /** @enum {string} */
      stage:
        | 'issuingKey'
        | 'registeringWebhook'
        | 'registeringDomain'
        | 'awaitingDomain'
        | 'creatingSender'
        | 'sendingFirstEmail'
        | 'awaitingDelivery'
        | 'undoing'
        | 'done';
      /** Format: date-time */
      stageSince: string;
      /** Format: date-time */
      startedAt: string;
      endedAt: string | null;
      deadline: string | null;
      exit: ('F1' | 'F2' | 'F3') | null;
      needsAttention: {
        findings: {
          /** @description See docs/dns-findings.md. */
          code: string;
          /** @description Where it was seen. */
          name: string;
          /** @description Of the record. */
          purpose: string;
          /** @description What the tenant does. */
          fix: string;
          publish?: {
            type: string;
            host: string;
            value: string;
          };
        }[];
        /** Format: date-time */
        since: string;
      } | null;
      stuck: {
        /** Format: date-time */
        since: string;
        message: string;
      } | null;
      checkedAt: string | null;
      nextCheckAt: string | null;
      /** @description What Temporal tries now or will try again, with the message of the last attempt. */
      waitingFor: {
        activity: string;
        attempt: number;
        message: string | null;
        nextAttemptAt: string | null;
      }[];
      onboarding: {
        tenantId: string;
        domain: string;
        /** @description Without its display name. */
        fromAddress: string;
        /** @description The display name that was asked for; absent without one. */
        fromName?: string;
        recipient: string;
        /** @description Steps that a release added after this onboarding began, and that it goes without; absent if none. */
        withoutSteps?: ('issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail')[];
        /** @enum {string} */
        stage:
          | 'issuingKey'
          | 'registeringWebhook'
          | 'registeringDomain'
          | 'awaitingDomain'
          | 'creatingSender'
          | 'sendingFirstEmail'
          | 'awaitingDelivery'
          | 'undoing'
          | 'done';
        stages: {
          /** @enum {string} */
          stage:
            | 'issuingKey'
            | 'registeringWebhook'
            | 'registeringDomain'
            | 'awaitingDomain'
            | 'creatingSender'
            | 'sendingFirstEmail'
            | 'awaitingDelivery'
            | 'undoing'
            | 'done';
          /** Format: date-time */
          at: string;
        }[];
        keyId: string | null;
        /** @description sendoff's own API key, beside the one that the backend claims; absent if one serves both. */
        ownKeyId?: string;
        webhookId: string | null;
        domainId: string | null;
        senderId: string | null;
        emailId: string | null;
        records: {
          purpose: string;
          /** @description `TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it. */
          type: string;
          /** @description Absolute, without a final dot. */
          name: string;
          /** @description As entered at a DNS provider: relative to `zone`. */
          host: string;
          zone?: string | null;
          /** @description Of the zone, and whether each answered in the last check that knew the zone. */
          nameServers?: {
            name: string;
            answered: boolean;
          }[];
          value: string;
          required: boolean;
          /** @enum {string} */
          status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
          found: string[];
          findings: {
            /** @description See docs/dns-findings.md. */
            code: string;
            /** @description Where it was seen. */
            name: string;
            /** @description What the tenant does. */
            fix: string;
            publish?: {
              type: string;
              host: string;
              value: string;
            };
          }[];
        }[];
        verificationDeadline: string | null;
        timesNotVerified: number;
        /** @description Wake-ups received, without repetitions; known when it has ended. */
        wakeUps: number;
        badEnd: {
          /** @enum {string} */
          type:
            | 'DomainVerificationTimedOut'
            | 'DomainNotVerified'
            | 'EmailBounced'
            | 'ProviderRejected'
            | 'ProviderUnavailable'
            | 'DeliveryUnconfirmed'
            | 'InvalidInput'
            | 'SendOutcomeUnknown'
            | 'Cancelled';
          exit: ('F1' | 'F2' | 'F3') | null;
          message: string;
        } | null;
        undo: {
          /** @enum {string} */
          step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
          resourceId: string | null;
          /** @enum {string} */
          result: 'undone' | 'kept' | 'failed';
          reason: string;
          /** @description Kept only because the provider does not delete it. */
          givenUp?: boolean;
        }[];
      };
      result: {
        keyId: string | null;
        tokenRef: string | null;
        domainId: string;
        senderId: string;
        emailId: string;
        deliveredAt: string | null;
        verifiedAfterMs: number;
        polls: number;
      } | null;
      failure: {
        /** @enum {string} */
        type:
          | 'DomainVerificationTimedOut'
          | 'DomainNotVerified'
          | 'EmailBounced'
          | 'ProviderRejected'
          | 'ProviderUnavailable'
          | 'DeliveryUnconfirmed'
          | 'InvalidInput'
          | 'SendOutcomeUnknown';
        message: string;
        /** @description What the failure type adds: see docs/http-api.md. */
        details: {
          /** @enum {string} */
          stage:
            | 'issuingKey'
            | 'registeringWebhook'
            | 'registeringDomain'
            | 'awaitingDomain'
            | 'creatingSender'
            | 'sendingFirstEmail'
            | 'awaitingDelivery'
            | 'undoing'
            | 'done';
          exit: ('F1' | 'F2' | 'F3') | null;
          undo: {
            /** @enum {string} */
            step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
            resourceId: string | null;
            /** @enum {string} */
            result: 'undone' | 'kept' | 'failed';
            reason: string;
            /** @description Kept only because the provider does not delete it. */
            givenUp?: boolean;
          }[];
        } & {
          [key: string]: unknown;
        };
      } | null;
      /** @description What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created. */
      remains: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
      }[];
      apiKey: {
        keyId: string | null;
        /** @enum {string} */
        state: 'none' | 'held' | 'claimed' | 'revoked' | 'forgotten';
        claimedAt: string | null;
        claimedBy: string | null;
      };
      firstEmailRelease: {
        by: string;
        reason: string;
        /** Format: date-time */
        at: string;
      } | null;
      /** @description The page in the Temporal UI; null if its address is not configured. */
      uiUrl: string | null;
      /** Format: date-time */
      updatedAt: string;
      /** @description Since `updatedAt`. */
      ageSeconds: number;
      domainWatch: {
        /**
         * @description `drifted`: two checks in a row found a required record missing or wrong. `gone`: the provider no longer has the domain, and watching has ended.
         * @enum {string}
         */
        state: 'ok' | 'drifted' | 'gone';
        /** Format: date-time */
        stateSince: string;
        suspicion: {
          /** @enum {string} */
          of: 'drifted' | 'gone';
          times: number;
        } | null;
        /** @description Of the last conclusive check, without those of muted records. */
        findings: {
          purpose: string;
          /** @description See docs/dns-findings.md. */
          code: string;
          /** @description Where it was seen. */
          name: string;
          /** @description What the tenant does. */
          fix: string;
          publish?: {
            type: string;
            host: string;
            value: string;
          };
        }[];
        /** @description Records whose defects do not count. */
        muted: {
          purpose: string;
          reason: string;
          by: string;
          /** Format: date-time */
          at: string;
        }[];
        checkedAt: string | null;
        nextCheckAt: string | null;
        /** @description Why the last check was inconclusive; null if it was conclusive. */
        problem: string | null;
      } | null;
      /** @description Whether Temporal, and the Workers of onboardings, answered at `checkedAt`. */
      temporal: {
        reachable: boolean;
        /** @enum {string} */
        workers: 'polling' | 'none' | 'unknown';
        /** Format: date-time */
        checkedAt: string;
      };
    };
    /** @description What the checks of a verified domain find. */
    DomainWatch: {
      /**
       * @description `drifted`: two checks in a row found a required record missing or wrong. `gone`: the provider no longer has the domain, and watching has ended.
       * @enum {string}
       */
      state: 'ok' | 'drifted' | 'gone';
      /** Format: date-time */
      stateSince: string;
      suspicion: {
        /** @enum {string} */
        of: 'drifted' | 'gone';
        times: number;
      } | null;
      /** @description Of the last conclusive check, without those of muted records. */
      findings: {
        purpose: string;
        /** @description See docs/dns-findings.md. */
        code: string;
        /** @description Where it was seen. */
        name: string;
        /** @description What the tenant does. */
        fix: string;
        publish?: {
          type: string;
          host: string;
          value: string;
        };
      }[];
      /** @description Records whose defects do not count. */
      muted: {
        purpose: string;
        reason: string;
        by: string;
        /** Format: date-time */
        at: string;
      }[];
      checkedAt: string | null;
      nextCheckAt: string | null;
      /** @description Why the last check was inconclusive; null if it was conclusive. */
      problem: string | null;
    };
    /** @description A notification to the backend, and its delivery. */
    NotificationView: {
      /** @description The `webhook-id` of every delivery. */
      id: string;
      /** @description Its place in the order of all events. */
      position: number;
      tenantId: string;
      /** @enum {string} */
      type:
        | 'onboarding.domain_registered'
        | 'onboarding.needs_attention'
        | 'onboarding.verified'
        | 'onboarding.onboarded'
        | 'onboarding.failed'
        | 'onboarding.cancelled'
        | 'onboarding.undo_ended'
        | 'onboarding.terminated'
        | 'domain.drifted'
        | 'domain.recovered';
      /** Format: date-time */
      at: string;
      /** @description As in the webhook of its type, without `tenantId`. */
      data: {
        [key: string]: unknown;
      };
      /** @enum {string} */
      status: 'pending' | 'delivered' | 'failed';
      /** @description Since it happened or was last replayed. */
      attempts: number;
      lastAttemptAt: string | null;
      lastError: string | null;
      deliveredAt: string | null;
      replayedAt: string | null;
    };
    /** @description The producer to check. */
    CheckInput: {
      /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
      producerId: string;
      /** @description The name of the public organization, not a URL. */
      organization?: string;
      /** @description Its name; if left out, the host's list of repositories decides. Needs `organization`. */
      primaryRepository?: string;
      /** @enum {string} */
      host?: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
    };
    /** @description The running check and the latest result. */
    CheckView: {
      producerId: string;
      running: {
        workflowId: string;
        runId: string;
        /** Format: date-time */
        startedAt: string;
        /** @description What Temporal tries now or will try again, with the message of the last attempt. */
        waitingFor: {
          activity: string;
          attempt: number;
          message: string | null;
          nextAttemptAt: string | null;
        }[];
        details: string | null;
        currentRequest: string | null;
      } | null;
      latest: {
        /** @enum {string} */
        checkId: 'agents-md';
        ruleVersion: number;
        /** @enum {string} */
        status: 'conclusive' | 'inconclusive';
        outcome: ('pass' | 'partial' | 'fail') | null;
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        message: string;
        remediation: {
          summary: string;
          steps: string[];
        };
        subject: {
          producerId: string;
          /** @enum {string} */
          host: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
          organization: string | null;
          primaryRepository: string | null;
          selectedBy: ('input' | 'organizationName' | 'mostStars' | 'onlyRepository') | null;
        };
        foundIn: ('primary' | 'orgFallback') | null;
        measurement: {
          codePoints: number;
          visibleCodePoints: number;
          bytes: number;
          threshold: number;
          /** @enum {string} */
          contentClass: 'content' | 'stub' | 'empty' | 'pointer' | 'broken_link' | 'lfs_pointer';
          /** @enum {string} */
          encoding: 'utf-8' | 'utf-8-damaged' | 'utf-16le' | 'utf-16be';
          truncated: boolean;
          headings: number;
          viaSymlink: string | null;
        } | null;
        evidence: {
          url: string;
          finalUrl: string;
          httpStatus: number | null;
          etag: string | null;
          sha256: string | null;
          excerpt: string | null;
        } | null;
        attempts: {
          url: string;
          httpStatus: number | null;
          /** @enum {string} */
          answer:
            | 'text'
            | 'absent'
            | 'resolved'
            | 'none'
            | 'undetermined'
            | 'throttled'
            | 'unreachable'
            | 'refused'
            | 'redirectBlocked'
            | 'unexpectedContent';
          redirects: string[];
          detail: string | null;
          /** Format: date-time */
          observedAt: string;
        }[];
        nearMisses: string[];
        /** Format: date-time */
        checkedAt: string;
        unchangedSince: string | null;
        lastConclusive: {
          /** @enum {string} */
          outcome: 'pass' | 'partial' | 'fail';
          /** @enum {string} */
          reasonCode:
            | 'content_found'
            | 'stub'
            | 'empty_file'
            | 'pointer_only'
            | 'broken_link'
            | 'lfs_pointer'
            | 'no_organization'
            | 'organization_not_found'
            | 'no_repository'
            | 'file_not_found'
            | 'repository_required'
            | 'throttled'
            | 'unreachable'
            | 'refused'
            | 'redirect_blocked'
            | 'unexpected_content'
            | 'requests_spent'
            | 'absence_unconfirmed';
          foundIn: ('primary' | 'orgFallback') | null;
          repository: string | null;
          sha256: string | null;
          /** Format: date-time */
          checkedAt: string;
          /** Format: date-time */
          unchangedSince: string;
        } | null;
      } | null;
      lastConclusive: {
        /** @enum {string} */
        outcome: 'pass' | 'partial' | 'fail';
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        foundIn: ('primary' | 'orgFallback') | null;
        repository: string | null;
        sha256: string | null;
        /** Format: date-time */
        checkedAt: string;
        /** Format: date-time */
        unchangedSince: string;
      } | null;
      failure: {
        message: string;
      } | null;
      /** @description The page in the Temporal UI; null if its address is not configured. */
      uiUrl: string | null;
    };
    /** @description A producer of the catalogue, with its latest conclusive result. */
    ProducerView: {
      producerId: string;
      organization: string | null;
      primaryRepository: string | null;
      /** @enum {string} */
      host: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
      every: string;
      paused: boolean;
      labels: string[];
      latest: {
        /** @enum {string} */
        outcome: 'pass' | 'partial' | 'fail';
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        message: string;
        /** Format: date-time */
        checkedAt: string;
        /** Format: date-time */
        outcomeSince: string;
      } | null;
      lastAttempt: {
        /** Format: date-time */
        at: string;
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
      } | null;
      nextCheckAt: string | null;
    };
    /** @description The onboarding was recorded. */
    OnboardingStartedData: {
      domain: string;
      fromAddress: string;
    };
    /** @description The onboarding entered a stage. */
    OnboardingStageChangedData: {
      domain: string;
      /** @enum {string} */
      stage:
        | 'issuingKey'
        | 'registeringWebhook'
        | 'registeringDomain'
        | 'awaitingDomain'
        | 'creatingSender'
        | 'sendingFirstEmail'
        | 'awaitingDelivery'
        | 'undoing'
        | 'done';
    };
    /** @description The DNS records to publish are known, and the window has begun. */
    OnboardingDomainRegisteredData: {
      domain: string;
      domainId: string;
      /** Format: date-time */
      deadline: string;
      records: {
        purpose: string;
        /** @description `TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it. */
        type: string;
        /** @description Absolute, without a final dot. */
        name: string;
        /** @description As entered at a DNS provider: relative to `zone`. */
        host: string;
        zone?: string | null;
        value: string;
        required: boolean;
      }[];
    };
    /** @description A check found another status or other findings of a DNS record. */
    OnboardingRecordsCheckedData: {
      domain: string;
      checkedAt: string | null;
      records: {
        purpose: string;
        /** @description `TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it. */
        type: string;
        /** @description Absolute, without a final dot. */
        name: string;
        required: boolean;
        /** @enum {string} */
        status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
        findings: {
          /** @description See docs/dns-findings.md. */
          code: string;
          /** @description Where it was seen. */
          name: string;
          /** @description What the tenant does. */
          fix: string;
          publish?: {
            type: string;
            host: string;
            value: string;
          };
        }[];
      }[];
    };
    /** @description A person should act. */
    OnboardingNeedsAttentionData:
      | {
          domain: string;
          /** @enum {string} */
          reason: 'dns';
          deadline: string | null;
          findings: {
            /** @description See docs/dns-findings.md. */
            code: string;
            /** @description Where it was seen. */
            name: string;
            /** @description Of the record. */
            purpose: string;
            /** @description What the tenant does. */
            fix: string;
            publish?: {
              type: string;
              host: string;
              value: string;
            };
          }[];
        }
      | {
          domain: string;
          /** @enum {string} */
          reason: 'deadline';
          /** Format: date-time */
          deadline: string;
          records: {
            purpose: string;
            /** @description `TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it. */
            type: string;
            /** @description Absolute, without a final dot. */
            name: string;
            /** @description As entered at a DNS provider: relative to `zone`. */
            host: string;
            zone?: string | null;
            value: string;
            required: boolean;
            /** @enum {string} */
            status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
            findings: {
              /** @description See docs/dns-findings.md. */
              code: string;
              /** @description Where it was seen. */
              name: string;
              /** @description What the tenant does. */
              fix: string;
              publish?: {
                type: string;
                host: string;
                value: string;
              };
            }[];
          }[];
        };
    /** @description The verification window closes at another time. */
    OnboardingExtendedData: {
      domain: string;
      deadline: string | null;
    };
    /** @description A caller of the HTTP API, or the setup page, asked for a change. */
    OnboardingRequestedData: {
      /** @enum {string} */
      request:
        | 'cancel'
        | 'check_now'
        | 'extend'
        | 'release_email'
        | 'restart'
        | 'setup_link'
        | 'revoke_setup_links'
        | 'mute_record'
        | 'unmute_record';
      by: string | null;
      /** @description Empty for the setup page. */
      apiTokenName: string;
      hours?: number;
      reason?: string;
      /** @description Of the record that was muted or no longer is. */
      purpose?: string;
    };
    /** @description The domain was verified. */
    OnboardingVerifiedData: {
      domain: string;
    };
    /** @description The first email was delivered. */
    OnboardingOnboardedData: {
      domain: string;
      result: {
        keyId: string | null;
        tokenRef: string | null;
        domainId: string;
        senderId: string;
        emailId: string;
        deliveredAt: string | null;
        verifiedAfterMs: number;
        polls: number;
      };
    };
    /** @description The onboarding failed. */
    OnboardingFailedData: {
      domain: string;
      /** @enum {string} */
      type:
        | 'DomainVerificationTimedOut'
        | 'DomainNotVerified'
        | 'EmailBounced'
        | 'ProviderRejected'
        | 'ProviderUnavailable'
        | 'DeliveryUnconfirmed'
        | 'InvalidInput'
        | 'SendOutcomeUnknown';
      exit: ('F1' | 'F2' | 'F3') | null;
      /** @enum {string} */
      stage:
        | 'issuingKey'
        | 'registeringWebhook'
        | 'registeringDomain'
        | 'awaitingDomain'
        | 'creatingSender'
        | 'sendingFirstEmail'
        | 'awaitingDelivery'
        | 'undoing'
        | 'done';
      message: string;
      /** @description Whether the undo has yet to end: `onboarding.undo_ended` or `onboarding.terminated` follows. */
      undoing: boolean;
      undo: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
        /** @enum {string} */
        result: 'undone' | 'kept' | 'failed';
        reason: string;
        /** @description Kept only because the provider does not delete it. */
        givenUp?: boolean;
      }[];
      /** @description What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created. */
      remains: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
      }[];
    };
    /** @description The onboarding was cancelled. */
    OnboardingCancelledData: {
      domain: string;
      /** @description Whether the undo has yet to end: `onboarding.undo_ended` or `onboarding.terminated` follows. */
      undoing: boolean;
      undo: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
        /** @enum {string} */
        result: 'undone' | 'kept' | 'failed';
        reason: string;
        /** @description Kept only because the provider does not delete it. */
        givenUp?: boolean;
      }[];
      /** @description What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created. */
      remains: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
      }[];
    };
    /** @description The undo of a failed or cancelled onboarding has ended. */
    OnboardingUndoEndedData: {
      domain: string;
      undo: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
        /** @enum {string} */
        result: 'undone' | 'kept' | 'failed';
        reason: string;
        /** @description Kept only because the provider does not delete it. */
        givenUp?: boolean;
      }[];
      /** @description What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created. */
      remains: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
      }[];
    };
    /** @description The execution was terminated in Temporal, or was deleted there. */
    OnboardingTerminatedData: {
      domain: string;
      undo: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
        /** @enum {string} */
        result: 'undone' | 'kept' | 'failed';
        reason: string;
        /** @description Kept only because the provider does not delete it. */
        givenUp?: boolean;
      }[];
      /** @description What a failed, cancelled or terminated onboarding left at the provider; while its undo runs, everything that was created. */
      remains: {
        /** @enum {string} */
        step: 'issueApiKey' | 'registerWebhook' | 'registerDomain' | 'createSender' | 'sendFirstEmail';
        resourceId: string | null;
      }[];
    };
    /** @description The tenant's API token was handed out. */
    ApiKeyClaimedData: {
      keyId: string;
      by: string;
      apiTokenName: string;
    };
    /** @description A verified domain no longer has a required record. */
    DomainDriftedData: {
      domain: string;
      findings: {
        /** @description See docs/dns-findings.md. */
        code: string;
        /** @description Where it was seen. */
        name: string;
        /** @description Of the record. */
        purpose: string;
        /** @description What the tenant does. */
        fix: string;
        publish?: {
          type: string;
          host: string;
          value: string;
        };
      }[];
    };
    /** @description A domain that had drifted is right again. */
    DomainRecoveredData: {
      domain: string;
      /** @enum {string} */
      reason: 'published' | 'muted';
    };
    /** @description A change of an onboarding or of its domain. A later version may have more types. */
    Event:
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.started';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingStartedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.stage_changed';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingStageChangedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.domain_registered';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingDomainRegisteredData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.records_checked';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingRecordsCheckedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.needs_attention';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingNeedsAttentionData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.extended';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingExtendedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.requested';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingRequestedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.verified';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingVerifiedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.onboarded';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingOnboardedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.failed';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingFailedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.cancelled';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingCancelledData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.undo_ended';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingUndoEndedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'onboarding.terminated';
          /** Format: date-time */
          at: string;
          data: components['schemas']['OnboardingTerminatedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'api_key.claimed';
          /** Format: date-time */
          at: string;
          data: components['schemas']['ApiKeyClaimedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'domain.drifted';
          /** Format: date-time */
          at: string;
          data: components['schemas']['DomainDriftedData'];
        }
      | {
          /** @description The `webhook-id`, if the backend is notified of it. */
          eventId: string;
          tenantId: string;
          /** @description Of the onboarding: the same until the tenant is onboarded again. */
          attemptId: string;
          /** @enum {string} */
          type: 'domain.recovered';
          /** Format: date-time */
          at: string;
          data: components['schemas']['DomainRecoveredData'];
        };
    /** @description The outcome of a producer's AGENTS.md check changed. */
    AgentsMdChangedData: {
      producerId: string;
      from: {
        /** @enum {string} */
        outcome: 'pass' | 'partial' | 'fail';
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        foundIn: ('primary' | 'orgFallback') | null;
        repository: string | null;
        sha256: string | null;
        /** Format: date-time */
        checkedAt: string;
        /** Format: date-time */
        unchangedSince: string;
      };
      to: {
        /** @enum {string} */
        checkId: 'agents-md';
        ruleVersion: number;
        /** @enum {string} */
        status: 'conclusive' | 'inconclusive';
        /** @enum {string} */
        outcome: 'pass' | 'partial' | 'fail';
        /** @enum {string} */
        reasonCode:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        message: string;
        remediation: {
          summary: string;
          steps: string[];
        };
        subject: {
          producerId: string;
          /** @enum {string} */
          host: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
          organization: string | null;
          primaryRepository: string | null;
          selectedBy: ('input' | 'organizationName' | 'mostStars' | 'onlyRepository') | null;
        };
        foundIn: ('primary' | 'orgFallback') | null;
        measurement: {
          codePoints: number;
          visibleCodePoints: number;
          bytes: number;
          threshold: number;
          /** @enum {string} */
          contentClass: 'content' | 'stub' | 'empty' | 'pointer' | 'broken_link' | 'lfs_pointer';
          /** @enum {string} */
          encoding: 'utf-8' | 'utf-8-damaged' | 'utf-16le' | 'utf-16be';
          truncated: boolean;
          headings: number;
          viaSymlink: string | null;
        } | null;
        evidence: {
          url: string;
          finalUrl: string;
          httpStatus: number | null;
          etag: string | null;
          sha256: string | null;
          excerpt: string | null;
        } | null;
        attempts: {
          url: string;
          httpStatus: number | null;
          /** @enum {string} */
          answer:
            | 'text'
            | 'absent'
            | 'resolved'
            | 'none'
            | 'undetermined'
            | 'throttled'
            | 'unreachable'
            | 'refused'
            | 'redirectBlocked'
            | 'unexpectedContent';
          redirects: string[];
          detail: string | null;
          /** Format: date-time */
          observedAt: string;
        }[];
        nearMisses: string[];
        /** Format: date-time */
        checkedAt: string;
        unchangedSince: string | null;
        lastConclusive: {
          /** @enum {string} */
          outcome: 'pass' | 'partial' | 'fail';
          /** @enum {string} */
          reasonCode:
            | 'content_found'
            | 'stub'
            | 'empty_file'
            | 'pointer_only'
            | 'broken_link'
            | 'lfs_pointer'
            | 'no_organization'
            | 'organization_not_found'
            | 'no_repository'
            | 'file_not_found'
            | 'repository_required'
            | 'throttled'
            | 'unreachable'
            | 'refused'
            | 'redirect_blocked'
            | 'unexpected_content'
            | 'requests_spent'
            | 'absence_unconfirmed';
          foundIn: ('primary' | 'orgFallback') | null;
          repository: string | null;
          sha256: string | null;
          /** Format: date-time */
          checkedAt: string;
          /** Format: date-time */
          unchangedSince: string;
        } | null;
      };
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type Problem = components['schemas']['Problem'];
export type OnboardingView = components['schemas']['OnboardingView'];
export type DomainWatch = components['schemas']['DomainWatch'];
export type NotificationView = components['schemas']['NotificationView'];
export type CheckInput = components['schemas']['CheckInput'];
export type CheckView = components['schemas']['CheckView'];
export type ProducerView = components['schemas']['ProducerView'];
export type OnboardingStartedData = components['schemas']['OnboardingStartedData'];
export type OnboardingStageChangedData = components['schemas']['OnboardingStageChangedData'];
export type OnboardingDomainRegisteredData = components['schemas']['OnboardingDomainRegisteredData'];
export type OnboardingRecordsCheckedData = components['schemas']['OnboardingRecordsCheckedData'];
export type OnboardingNeedsAttentionData = components['schemas']['OnboardingNeedsAttentionData'];
export type OnboardingExtendedData = components['schemas']['OnboardingExtendedData'];
export type OnboardingRequestedData = components['schemas']['OnboardingRequestedData'];
export type OnboardingVerifiedData = components['schemas']['OnboardingVerifiedData'];
export type OnboardingOnboardedData = components['schemas']['OnboardingOnboardedData'];
export type OnboardingFailedData = components['schemas']['OnboardingFailedData'];
export type OnboardingCancelledData = components['schemas']['OnboardingCancelledData'];
export type OnboardingUndoEndedData = components['schemas']['OnboardingUndoEndedData'];
export type OnboardingTerminatedData = components['schemas']['OnboardingTerminatedData'];
export type ApiKeyClaimedData = components['schemas']['ApiKeyClaimedData'];
export type DomainDriftedData = components['schemas']['DomainDriftedData'];
export type DomainRecoveredData = components['schemas']['DomainRecoveredData'];
export type Event = components['schemas']['Event'];
export type AgentsMdChangedData = components['schemas']['AgentsMdChangedData'];
export type $defs = Record<string, never>;
export interface operations {
  live: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Yes. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok';
          };
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unavailable`: The database or Temporal cannot be used at the moment. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  ready: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What can be used. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok' | 'unavailable';
            /** @enum {string} */
            temporal: 'ok' | 'unreachable' | 'refused' | 'not_set_up' | 'incomplete';
            /** @enum {string} */
            database: 'ok' | 'unwritable';
            /**
             * @description This process has been asked to stop, or its Workers wait for a Namespace that can be used, and start within 15 seconds of it.
             * @enum {boolean}
             */
            stopping?: true;
            /** @description Task Queues on which Temporal has not seen the Workers of this process for two minutes. */
            unseenOn?: string[];
            /** @description What Temporal lacks. `incomplete`: the programs themselves create the Workflows and Schedules again, within half a minute. `refused`: the server refuses the credentials in this Namespace. With `background`, onboardings go on without it. */
            missing?: unknown[];
            /** @description What sets Temporal up. */
            command?: string;
          };
        };
      };
      /** @description What can be used. */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @enum {string} */
            status: 'ok' | 'unavailable';
            /** @enum {string} */
            temporal: 'ok' | 'unreachable' | 'refused' | 'not_set_up' | 'incomplete';
            /** @enum {string} */
            database: 'ok' | 'unwritable';
            /**
             * @description This process has been asked to stop, or its Workers wait for a Namespace that can be used, and start within 15 seconds of it.
             * @enum {boolean}
             */
            stopping?: true;
            /** @description Task Queues on which Temporal has not seen the Workers of this process for two minutes. */
            unseenOn?: string[];
            /** @description What Temporal lacks. `incomplete`: the programs themselves create the Workflows and Schedules again, within half a minute. `refused`: the server refuses the credentials in this Namespace. With `background`, onboardings go on without it. */
            missing?: unknown[];
            /** @description What sets Temporal up. */
            command?: string;
          };
        };
      };
    };
  };
  getOnboarding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  startOnboarding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The sending domain, as A-labels (RFC 5890); upper case and a final dot are accepted. */
          domain: string;
          /** @description An address on `domain`, alone or after a display name (RFC 5322): `Acme <hello@acme.com>`. */
          fromAddress: string;
          /** @description The display name, unless `fromAddress` has it: 1 to 200 characters. */
          fromName?: string;
          firstEmail: {
            /** @description One address. */
            recipient: string;
            /** @description One line of 1 to 998 characters. */
            subject: string;
            /** @description Plain text, 1 to 1,000,000 bytes in UTF-8. */
            body: string;
          };
          /** @description How long the tenant may take to publish the DNS records: 1 second to 30 days, as `3d` or `72 hours`. Default 72 hours. */
          verificationWindow?: string;
          /**
           * @description What a failure or cancellation undoes. Default byExit.
           * @enum {string}
           */
          undo?: 'byExit' | 'everything' | 'nothing';
        };
      };
    };
    responses: {
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `onboarding_differs`: The onboarding of this tenant was started with another input; `fields` names the differing fields.
       *
       *     `onboarding_undoing`: The onboarding of this tenant has failed or was cancelled, and its undo has not ended.
       */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  restartOnboarding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The sending domain, as A-labels (RFC 5890); upper case and a final dot are accepted. */
          domain: string;
          /** @description An address on `domain`, alone or after a display name (RFC 5322): `Acme <hello@acme.com>`. */
          fromAddress: string;
          /** @description The display name, unless `fromAddress` has it: 1 to 200 characters. */
          fromName?: string;
          firstEmail: {
            /** @description One address. */
            recipient: string;
            /** @description One line of 1 to 998 characters. */
            subject: string;
            /** @description Plain text, 1 to 1,000,000 bytes in UTF-8. */
            body: string;
          };
          /** @description How long the tenant may take to publish the DNS records: 1 second to 30 days, as `3d` or `72 hours`. Default 72 hours. */
          verificationWindow?: string;
          /**
           * @description What a failure or cancellation undoes. Default byExit.
           * @enum {string}
           */
          undo?: 'byExit' | 'everything' | 'nothing';
          /** @description Who asks; kept in the audit events. */
          by?: string;
        };
      };
    };
    responses: {
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `onboarding_differs`: The onboarding of this tenant was started with another input; `fields` names the differing fields.
       *
       *     `onboarding_undoing`: The onboarding of this tenant has failed or was cancelled, and its undo has not ended.
       */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  cancelOnboarding: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description Who asks; kept in the audit events. */
          by?: string;
        } | null;
      };
    };
    responses: {
      /** @description A tenant's latest onboarding, as the register of this installation has it, whether or not Temporal answers. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['OnboardingView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  releaseFirstEmail: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Who asks; kept in the audit events. */
          by: string;
          /** @description What you saw at the provider; kept in the audit events. */
          reason: string;
        };
      };
    };
    responses: {
      /** @description The email that may be sent once more, and when the provider may have accepted it. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            provider: string;
            recipient: string;
            /** Format: date-time */
            since: string;
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `update_refused`: The onboarding has ended, does not wait for its domain, may not be extended further, or has no email to release. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listOnboardings: {
    parameters: {
      query?: {
        stage?:
          | 'issuingKey'
          | 'registeringWebhook'
          | 'registeringDomain'
          | 'awaitingDomain'
          | 'creatingSender'
          | 'sendingFirstEmail'
          | 'awaitingDelivery'
          | 'undoing'
          | 'done';
        outcome?: 'running' | 'onboarded' | 'failed' | 'cancelled' | 'terminated';
        exit?: 'F1' | 'F2' | 'F3';
        /** @description The code of a finding of the last check of any record. */
        finding?: string;
        /** @description Whether the DNS has a definite mistake. */
        needs_attention?: boolean;
        /** @description Whether its Workflow Task fails again and again. */
        stuck?: boolean;
        /** @description Running, and in its stage for longer than this duration, such as 24h or 3d. */
        waiting_longer_than?: string;
        /** @description The beginning of the tenant ID, of the domain, or of the domain without its first label; upper and lower case are the same. */
        q?: string;
        /** @description Default 50. */
        limit?: number;
        /** @description The `next_cursor` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of onboardings, the latest start first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['OnboardingView'][];
            /** @description Send as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  checkNow: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description Who asks; kept in the audit events. */
          by?: string;
        } | null;
      };
    };
    responses: {
      /** @description The result of one check, at the provider and at the name servers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** @description As the provider reports; this alone decides. */
            verified: boolean;
            /** @description Whether every required record is published correctly. */
            published: boolean;
            /** @description False if a required record could not be checked: no name server answered, or the provider alone checks its type. */
            conclusive: boolean;
            records: {
              purpose: string;
              /** @description `TXT`, `MX` or `CNAME`; any other type is left to the provider, which alone checks it. */
              type: string;
              /** @description Absolute, without a final dot. */
              name: string;
              /** @description As entered at a DNS provider: relative to `zone`. */
              host: string;
              zone?: string | null;
              /** @description Of the zone, and whether each answered in the last check that knew the zone. */
              nameServers?: {
                name: string;
                answered: boolean;
              }[];
              value: string;
              required: boolean;
              /** @enum {string} */
              status: 'unchecked' | 'missing' | 'wrong' | 'found' | 'inconclusive';
              found: string[];
              findings: {
                /** @description See docs/dns-findings.md. */
                code: string;
                /** @description Where it was seen. */
                name: string;
                /** @description What the tenant does. */
                fix: string;
                publish?: {
                  type: string;
                  host: string;
                  value: string;
                };
              }[];
            }[];
            /** Format: date-time */
            lastObservedAt: string;
          };
        };
      };
      /** @description A check is under way. It is tried for two minutes; the onboarding then shows its result. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            /** @enum {string} */
            check: 'begun';
            /**
             * Format: date-time
             * @description The last check with a result. Once `checkedAt` of the onboarding is another, its `records` are those of this check.
             */
            checkedAt: string | null;
            /** @description What to do next, in a sentence. */
            detail: string;
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `update_refused`: The onboarding has ended, does not wait for its domain, may not be extended further, or has no email to release. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `too_many_checks`: An onboarding may have 30 checks on request at once and one more each hour; `detail` and Retry-After name the time of the next. */
      429: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `no_worker_answered`: No Worker of the onboardings answers, or the onboarding did not execute the request within its time; it may still do so. */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  extendVerification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Added to the deadline. The window lasts at most 30 days from its beginning, extensions included. */
          hours: number;
          /** @description Who asks; kept in the audit events. */
          by: string;
          reason: string;
        };
      };
    };
    responses: {
      /** @description When the verification window closes now. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            /** Format: date-time */
            deadline: string;
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       *
       *     `idempotency_key_malformed`: The Idempotency-Key is not 1 to 255 visible ASCII characters, bare or as a quoted string.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `update_refused`: The onboarding has ended, does not wait for its domain, may not be extended further, or has no email to release. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `no_worker_answered`: No Worker of the onboardings answers, or the onboarding did not execute the request within its time; it may still do so. */
      504: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  claimApiKey: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Who asks; kept in the audit events. */
          by: string;
        };
      };
    };
    responses: {
      /** @description The token, once. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            keyId: string;
            /** @description The tenant's API token at the provider. Store it: sendoff forgets it. */
            token: string;
            /** Format: date-time */
            claimedAt: string;
            claimedBy: string;
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       *
       *     `idempotency_key_malformed`: The Idempotency-Key is not 1 to 255 visible ASCII characters, bare or as a quoted string.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `api_key_claimed`: The tenant's API token was handed out before; `claimed_at` and `claimed_by` say when and to whom.
       *
       *     `api_key_not_claimable`: The onboarding has not ended, was terminated, or its undo revoked the key; or its provider gives tenants none.
       */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  muteRecord: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
        /** @description The purpose of a required record, such as `dkim` or `spf`. */
        purpose: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description Why its defects do not count. */
          reason: string;
          /** @description Who asks; kept in the audit events. */
          by: string;
        };
      };
    };
    responses: {
      /** @description What the checks of a verified domain find. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DomainWatch'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  unmuteRecord: {
    parameters: {
      query?: {
        /** @description Who asks; kept in the audit events. */
        by?: string;
      };
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
        /** @description The purpose of a required record, such as `dkim` or `spf`. */
        purpose: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What the checks of a verified domain find. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['DomainWatch'];
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  createSetupLink: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: {
      content: {
        'application/json': {
          /** @description Who asks; kept in the audit events. */
          by?: string;
        } | null;
      };
    };
    responses: {
      /** @description The link. It is shown only here. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            /** @description A credential: everyone who has it sees the page. */
            url: string;
            /**
             * Format: date-time
             * @description 7 days after the end of the onboarding; while it runs, 7 days after its deadline, with which it moves. Null until there is a deadline.
             */
            expires_at: string | null;
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  revokeSetupLinks: {
    parameters: {
      query?: {
        /** @description Who asks; kept in the audit events. */
        by?: string;
      };
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description No link of the tenant opens its page any more. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            tenantId: string;
            /** @description How many links opened the page until now. */
            revoked: number;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  streamOnboardingEvents: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `id` of the last event that the listener has; 0 for all that are kept. */
        'last-event-id'?: string;
      };
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-Sent Events, until the listener or the server closes the connection. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': {
            id: string;
            /** @description The type of the event, `heartbeat` or `reset`. */
            event: string;
            /** @description JSON: of a change, an Event; of a reset, the range of events that are kept; of a heartbeat, an empty object. */
            data: string;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `too_many_streams`: This server has 200 open streams of events.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  streamEvents: {
    parameters: {
      query?: never;
      header?: {
        /** @description The `id` of the last event that the listener has; 0 for all that are kept. */
        'last-event-id'?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Server-Sent Events, until the listener or the server closes the connection. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'text/event-stream': {
            id: string;
            /** @description The type of the event, `heartbeat` or `reset`. */
            event: string;
            /** @description JSON: of a change, an Event; of a reset, the range of events that are kept; of a heartbeat, an empty object. */
            data: string;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `too_many_streams`: This server has 200 open streams of events.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listNotifications: {
    parameters: {
      query?: {
        /** @description A tenant's ID. */
        tenant?: string;
        status?: 'pending' | 'delivered' | 'failed';
        type?:
          | 'onboarding.domain_registered'
          | 'onboarding.needs_attention'
          | 'onboarding.verified'
          | 'onboarding.onboarded'
          | 'onboarding.failed'
          | 'onboarding.cancelled'
          | 'onboarding.undo_ended'
          | 'onboarding.terminated'
          | 'domain.drifted'
          | 'domain.recovered';
        /** @description Default 20. */
        limit?: number;
        /** @description The `next_cursor` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of notifications, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['NotificationView'][];
            /** @description Send as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `notifications_off`: `SENDOFF_NOTIFICATION_URL` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getNotification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The `webhook-id`: `evt_…`. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A notification to the backend, and its delivery. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotificationView'];
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `notifications_off`: `SENDOFF_NOTIFICATION_URL` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  replayNotification: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description The `webhook-id`: `evt_…`. */
        id: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A notification to the backend, and its delivery. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['NotificationView'];
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `notifications_off`: `SENDOFF_NOTIFICATION_URL` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  startCheck: {
    parameters: {
      query?: never;
      header?: {
        /** @description `wait=30`: answer when the check has ended, within at most 60 seconds (RFC 7240). */
        prefer?: string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': components['schemas']['CheckInput'];
      };
    };
    responses: {
      /** @description The running check and the latest result. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckView'];
        };
      };
      /** @description The running check and the latest result. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `check_differs`: A check of this producer is running with another input; `fields` names the differing fields. */
      409: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getCheck: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The running check and the latest result. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['CheckView'];
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getProducer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The producer, and its last 50 conclusive results, the latest first. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            producerId: string;
            organization: string | null;
            primaryRepository: string | null;
            /** @enum {string} */
            host: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
            every: string;
            paused: boolean;
            labels: string[];
            latest: {
              /** @enum {string} */
              outcome: 'pass' | 'partial' | 'fail';
              /** @enum {string} */
              reasonCode:
                | 'content_found'
                | 'stub'
                | 'empty_file'
                | 'pointer_only'
                | 'broken_link'
                | 'lfs_pointer'
                | 'no_organization'
                | 'organization_not_found'
                | 'no_repository'
                | 'file_not_found'
                | 'repository_required'
                | 'throttled'
                | 'unreachable'
                | 'refused'
                | 'redirect_blocked'
                | 'unexpected_content'
                | 'requests_spent'
                | 'absence_unconfirmed';
              message: string;
              /** Format: date-time */
              checkedAt: string;
              /** Format: date-time */
              outcomeSince: string;
            } | null;
            lastAttempt: {
              /** Format: date-time */
              at: string;
              /** @enum {string} */
              reasonCode:
                | 'content_found'
                | 'stub'
                | 'empty_file'
                | 'pointer_only'
                | 'broken_link'
                | 'lfs_pointer'
                | 'no_organization'
                | 'organization_not_found'
                | 'no_repository'
                | 'file_not_found'
                | 'repository_required'
                | 'throttled'
                | 'unreachable'
                | 'refused'
                | 'redirect_blocked'
                | 'unexpected_content'
                | 'requests_spent'
                | 'absence_unconfirmed';
            } | null;
            nextCheckAt: string | null;
            results: {
              /** @enum {string} */
              outcome: 'pass' | 'partial' | 'fail';
              /** @enum {string} */
              reasonCode:
                | 'content_found'
                | 'stub'
                | 'empty_file'
                | 'pointer_only'
                | 'broken_link'
                | 'lfs_pointer'
                | 'no_organization'
                | 'organization_not_found'
                | 'no_repository'
                | 'file_not_found'
                | 'repository_required'
                | 'throttled'
                | 'unreachable'
                | 'refused'
                | 'redirect_blocked'
                | 'unexpected_content'
                | 'requests_spent'
                | 'absence_unconfirmed';
              /** Format: date-time */
              checkedAt: string;
            }[];
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  putProducer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @description The name of the public organization, not a URL. */
          organization?: string;
          /** @description Its name; if left out, the host's list of repositories decides. Needs `organization`. */
          primaryRepository?: string;
          /** @enum {string} */
          host?: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
          /** @description A duration from 1h to 365d. Default `7d`. */
          every?: string;
          paused?: boolean;
          /** @description Each 1 to 64 of A-Z a-z 0-9 . _ : / -, the first a letter or digit. */
          labels?: string[];
        };
      };
    };
    responses: {
      /** @description A producer of the catalogue, with its latest conclusive result. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProducerView'];
        };
      };
      /** @description A producer of the catalogue, with its latest conclusive result. */
      201: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProducerView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  deleteProducer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description Removed. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  pauseProducer: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          paused: boolean;
        };
      };
    };
    responses: {
      /** @description A producer of the catalogue, with its latest conclusive result. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': components['schemas']['ProducerView'];
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  listProducers: {
    parameters: {
      query?: {
        outcome?: 'pass' | 'partial' | 'fail' | 'unchecked';
        reason?:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        label?: string;
        /** @description Whose outcome has changed since then. */
        changed_since?: string;
        /** @description Default 50. */
        limit?: number;
        /** @description The `next_cursor` of the previous page. */
        cursor?: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description A page of producers. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            data: components['schemas']['ProducerView'][];
            /** @description Send as `cursor` to get the next page; null on the last page. */
            next_cursor: string | null;
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  importProducers: {
    parameters: {
      query?: {
        /** @description Shows the changes and makes none. */
        dry_run?: boolean;
        /** @description Removes the producers that the list does not name; an empty list is refused. */
        remove_missing?: boolean;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description What it changed. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            added: {
              count: number;
              /** @description The first hundred. */
              producers: string[];
            };
            changed: {
              count: number;
              /** @description The first hundred. */
              producers: string[];
            };
            removed: {
              count: number;
              /** @description The first hundred. */
              producers: string[];
            };
            unchanged: {
              count: number;
              /** @description The first hundred. */
              producers: string[];
            };
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getCheckProgress: {
    parameters: {
      query: {
        asked_at: string;
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description How many are answered, and how. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            askedAt: string;
            total: number;
            answered: number;
            outcomes: {
              pass: number;
              partial: number;
              fail: number;
              inconclusive: number;
            };
          };
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  checkProducers: {
    parameters: {
      query?: never;
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          producerIds?: string[];
          label?: string;
          /** @enum {boolean} */
          all?: true;
        };
      };
    };
    responses: {
      /** @description How many are answered, and how. */
      202: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            askedAt: string;
            total: number;
            answered: number;
            outcomes: {
              pass: number;
              partial: number;
              fail: number;
              inconclusive: number;
            };
          };
        };
      };
      /**
       * @description `malformed_request`: The URL or a header cannot be read.
       *
       *     `malformed_json`: The body is not UTF-8 JSON, is empty where a body is required, nests deeper than 100 levels, has more than 50,000 fields, arrays and objects, or has a key `__proto__` or `constructor`.
       */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `unsupported_media_type`: Content-Type is not application/json, or the body has a Content-Encoding. */
      415: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getProducersReport: {
    parameters: {
      query?: {
        outcome?: 'pass' | 'partial' | 'fail' | 'unchecked';
        reason?:
          | 'content_found'
          | 'stub'
          | 'empty_file'
          | 'pointer_only'
          | 'broken_link'
          | 'lfs_pointer'
          | 'no_organization'
          | 'organization_not_found'
          | 'no_repository'
          | 'file_not_found'
          | 'repository_required'
          | 'throttled'
          | 'unreachable'
          | 'refused'
          | 'redirect_blocked'
          | 'unexpected_content'
          | 'requests_spent'
          | 'absence_unconfirmed';
        label?: string;
        /** @description Whose outcome has changed since then. */
        changed_since?: string;
        format?: 'json' | 'csv' | 'markdown' | 'html' | 'text';
      };
      header?: never;
      path?: never;
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The report. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/json': {
            /** Format: date-time */
            at: string;
            /** @description Of all producers, whatever the filter. */
            counts: {
              total: number;
              outcomes: {
                pass: number;
                partial: number;
                fail: number;
                unchecked: number;
              };
              reasons: {
                content_found?: number;
                stub?: number;
                empty_file?: number;
                pointer_only?: number;
                broken_link?: number;
                lfs_pointer?: number;
                no_organization?: number;
                organization_not_found?: number;
                no_repository?: number;
                file_not_found?: number;
                repository_required?: number;
                throttled?: number;
                unreachable?: number;
                refused?: number;
                redirect_blocked?: number;
                unexpected_content?: number;
                requests_spent?: number;
                absence_unconfirmed?: number;
              };
              labels: {
                label: string;
                outcomes: {
                  pass: number;
                  partial: number;
                  fail: number;
                  unchecked: number;
                };
              }[];
              hosts: {
                'github.com'?: number;
                'gitlab.com'?: number;
                'codeberg.org'?: number;
                'bitbucket.org'?: number;
              };
              days: {
                /** Format: date */
                day: string;
                outcomes: {
                  pass: number;
                  partial: number;
                  fail: number;
                  unchecked: number;
                };
              }[];
            };
            /** @description What a check of all of them takes at most, at the hosts' limits. */
            pace: {
              requestsMax: number;
              hoursMax: number;
            };
            producers: {
              producerId: string;
              organization: string | null;
              primaryRepository: string | null;
              /** @enum {string} */
              host: 'github.com' | 'gitlab.com' | 'codeberg.org' | 'bitbucket.org';
              every: string;
              paused: boolean;
              labels: string[];
              latest: {
                /** @enum {string} */
                outcome: 'pass' | 'partial' | 'fail';
                /** @enum {string} */
                reasonCode:
                  | 'content_found'
                  | 'stub'
                  | 'empty_file'
                  | 'pointer_only'
                  | 'broken_link'
                  | 'lfs_pointer'
                  | 'no_organization'
                  | 'organization_not_found'
                  | 'no_repository'
                  | 'file_not_found'
                  | 'repository_required'
                  | 'throttled'
                  | 'unreachable'
                  | 'refused'
                  | 'redirect_blocked'
                  | 'unexpected_content'
                  | 'requests_spent'
                  | 'absence_unconfirmed';
                message: string;
                /** Format: date-time */
                checkedAt: string;
                /** Format: date-time */
                outcomeSince: string;
              } | null;
              lastAttempt: {
                /** Format: date-time */
                at: string;
                /** @enum {string} */
                reasonCode:
                  | 'content_found'
                  | 'stub'
                  | 'empty_file'
                  | 'pointer_only'
                  | 'broken_link'
                  | 'lfs_pointer'
                  | 'no_organization'
                  | 'organization_not_found'
                  | 'no_repository'
                  | 'file_not_found'
                  | 'repository_required'
                  | 'throttled'
                  | 'unreachable'
                  | 'refused'
                  | 'redirect_blocked'
                  | 'unexpected_content'
                  | 'requests_spent'
                  | 'absence_unconfirmed';
              } | null;
              nextCheckAt: string | null;
              /** @description What to do; empty if nothing. */
              fix: string;
            }[];
          };
          'text/csv': string;
          'text/markdown': string;
          'text/html': string;
          'text/plain': string;
        };
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `validation_failed`: The request can be read but breaks a rule; `errors` names each field and what is wrong with it. */
      422: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  getProducerBadge: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        producerId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The image; `unchecked` also if the catalogue does not have the producer. */
      200: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'image/svg+xml': string;
        };
      };
      /** @description The image with the ETag of If-None-Match. */
      304: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired. */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       *
       *     `agents_md_off`: `AGENTS_MD_CONTACT` is not set.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  receiveWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description 1 to 128 of A-Z a-z 0-9 . _ - */
        tenantId: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook was received. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired.
       *
       *     `invalid_signature`: The webhook is not signed with the tenant's secret, or is more than 5 minutes old.
       */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `onboarding_gone`: A webhook arrived for a tenant whose onboarding has ended. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  receiveProviderWebhook: {
    parameters: {
      query?: never;
      header?: never;
      path: {
        /** @description As in EMAIL_PROVIDER. */
        name: string;
      };
      cookie?: never;
    };
    requestBody?: never;
    responses: {
      /** @description The webhook was received. */
      204: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description `malformed_request`: The URL or a header cannot be read. */
      400: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `invalid_api_key`: The Authorization header is missing, or its token is malformed, unknown, revoked or expired.
       *
       *     `invalid_signature`: The webhook is not signed with the tenant's secret, or is more than 5 minutes old.
       */
      401: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `not_found`: Nothing has this ID in the account or tenant, or the API has no such path. */
      404: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `payload_too_large`: The body has more bytes than this call accepts. */
      413: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /** @description `internal_error`: The program failed unexpectedly; its log has the cause under the request ID. */
      500: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
      /**
       * @description `unavailable`: The database or Temporal cannot be used at the moment.
       *
       *     `temporal_not_set_up`: The Namespace or a Search Attribute is missing.
       */
      503: {
        headers: {
          [name: string]: unknown;
        };
        content: {
          'application/problem+json': components['schemas']['Problem'];
        };
      };
    };
  };
  'onboarding.domain_registered': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.domain_registered';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingDomainRegisteredData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.needs_attention': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.needs_attention';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingNeedsAttentionData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.verified': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.verified';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingVerifiedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.onboarded': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.onboarded';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingOnboardedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.failed': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.failed';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingFailedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.cancelled': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.cancelled';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingCancelledData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.undo_ended': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.undo_ended';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingUndoEndedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'onboarding.terminated': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'onboarding.terminated';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['OnboardingTerminatedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'domain.drifted': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'domain.drifted';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['DomainDriftedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'domain.recovered': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'domain.recovered';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: {
            tenantId: string;
          } & components['schemas']['DomainRecoveredData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
  'agents_md.changed': {
    parameters: {
      query?: never;
      header: {
        /** @description The same in every delivery of the event. */
        'webhook-id': string;
        /** @description When this delivery was sent, in seconds since 1970. */
        'webhook-timestamp': string;
        /** @description HMAC-SHA256 of ID, timestamp and body: https://www.standardwebhooks.com */
        'webhook-signature': string;
      };
      path?: never;
      cookie?: never;
    };
    requestBody: {
      content: {
        'application/json': {
          /** @constant */
          type: 'agents_md.changed';
          /**
           * Format: date-time
           * @description When it happened.
           */
          timestamp: string;
          data: components['schemas']['AgentsMdChangedData'];
        };
      };
    };
    responses: {
      /** @description Given up. Any other answer, or none, is followed by another attempt. */
      410: {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
      /** @description Received. */
      '2XX': {
        headers: {
          [name: string]: unknown;
        };
        content?: never;
      };
    };
  };
}
