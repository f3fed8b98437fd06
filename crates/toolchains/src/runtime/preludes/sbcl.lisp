;;; Loaded by brisk before a program, in runs that are not timed: reports, when the program exits,
;;; what it allocated since, and what the collections and all of it took.
(let ((report (sb-ext:posix-getenv "BRISK_SBCL_REPORT")))
  (when report
    (let ((per-unit (/ 1000000 internal-time-units-per-second))
          (consed (sb-ext:get-bytes-consed))
          (run (get-internal-run-time))
          (gc sb-ext:*gc-run-time*))
      ;; Behind the hooks of the program, so that what these do counts too.
      (setf sb-ext:*exit-hooks*
            (append
             sb-ext:*exit-hooks*
             (list
              (lambda ()
                (let ((line
                        (format nil "brisk-sbcl bytes_consed=~d run_microseconds=~d gc_microseconds=~d~%"
                                (- (sb-ext:get-bytes-consed) consed)
                                (round (* per-unit (- (get-internal-run-time) run)))
                                (round (* per-unit (- sb-ext:*gc-run-time* gc))))))
                  (ignore-errors
                   (with-open-file (out report :direction :output :if-exists :overwrite
                                               :if-does-not-exist nil)
                     (when out (write-string line out))))))))))))
