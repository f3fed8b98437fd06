;; Two functions without types: arithmetic is generic, and numbers are boxed.
(defun squares (numbers)
  (let ((sum 0))
    (dolist (number numbers sum)
      (setf sum (+ sum (* number number))))))

(defun mean (vector)
  (/ (reduce #'+ vector) (length vector)))

(let ((numbers (loop for i below 1000 collect (* 1.5d0 i))))
  (format t "~a~%" (loop repeat 3000 sum (squares numbers)))
  (format t "~a~%" (mean (coerce numbers 'vector))))
