// The statuses of webhooks and of their deliveries.

/** `failing`: the last attempt failed. `disabled`: nothing is sent. */
export const webhookStatuses = ["active", "failing", "disabled"] as const;
export type WebhookStatus = (typeof webhookStatuses)[number];

export const disabledReasons = ["by_hand", "gone", "failing", "too_many_waiting"] as const;
export type DisabledReason = (typeof disabledReasons)[number];

/** `dropped`: the webhook was disabled. Such a delivery can be recovered. */
export const deliveryStatuses = ["waiting", "succeeded", "failed", "dropped"] as const;
export type DeliveryStatus = (typeof deliveryStatuses)[number];
